import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildService } from '../../scripts/build-service.ts';
import { readStartCommand } from '../../scripts/start-command.ts';
import { spawnService } from '../support/service-process.ts';

/** A folder that holds what the image holds: no sources. */
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'quotient-built-'));
  await buildService(join(root, 'build'));
  await cp('package.json', join(root, 'package.json'));
  await cp('prisma/migrations', join(root, 'prisma/migrations'), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
}, 60_000);
afterAll(() => rm(root, { recursive: true, force: true }));

it('runs without its sources, as `npm start` does it', async () => {
  const { env, flags, script } = await readStartCommand();
  const service = spawnService({ ...env, DATA_DIR: join(root, 'data') }, [...flags, join(root, script)]);
  onTestFinished(() => service.kill());
  const url = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0];

  const registration = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
  const created = await fetch(`${url}/v1/user/create?${registration}`, { method: 'POST' });
  expect(created.status).toBe(201);
  const { apiKey } = (await created.json()) as { apiKey: string };
  const user = await fetch(`${url}/v1/user/usage`, { headers: { 'x-api-key': apiKey } });
  expect(user.status).toBe(200);
  for (const path of [
    '/health/ready',
    '/docs/static/docs.css',
    '/docs/static/swagger-ui.css',
    '/openapi.json',
  ])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  expect(await service.stop()).toBe(0);
}, 60_000);

it('is started in the image as `npm start` does it', async () => {
  const { env, flags, script } = await readStartCommand();
  const dockerfile = await readFile('Dockerfile', 'utf8');
  const command = /^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '';
  expect(JSON.parse(command)).toEqual(['node', ...flags, script]);
  for (const [name, value] of Object.entries(env)) expect(dockerfile).toMatch(`${name}=${value}`);
});
