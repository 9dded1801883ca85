import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readStartCommand } from '../../scripts/start-command.ts';
import { buildServiceFolder } from '../support/service/built-service.ts';
import { spawnService } from '../support/service/service-process.ts';

let root: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ root, remove } = await buildServiceFolder());
}, 60_000);
afterAll(() => remove());

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
