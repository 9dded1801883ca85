import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildServiceFolder } from '../support/service/built-service.ts';
import { spawnService } from '../support/service/service-process.ts';

/** Makes the output look like a terminal's. */
const AT_A_TERMINAL = ['--import', 'data:text/javascript,process.stdout.isTTY=true'];

let root: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ root, remove } = await buildServiceFolder());
}, 120_000);
afterAll(() => remove());

it('runs without its sources, and prints the addresses of its pages', async () => {
  const admin = { ADMIN_PORT: '0', ADMIN_TOKEN: 'x'.repeat(32) };
  const settings = { DATA_DIR: join(root, 'data'), BASE_PATH: '/market', ...admin };
  const service = spawnService(settings, [...AT_A_TERMINAL, join(root, 'build/cli/quotient.js'), 'serve']);
  onTestFinished(() => service.kill());
  const origin = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Server listening at http:/))?.[0];
  const url = `${origin}/market`;
  const operator = /http:\/\/[\d.]+:\d+/.exec(await service.logged(/Operator API listening at http:/))?.[0];
  await service.logged(/^Press Ctrl-C/);
  const printed = service.lines.filter((line) => /^(Quotient| {2}\S)/.test(line));
  expect(printed).toEqual([
    `Quotient is listening at ${url}`,
    `  Console:          ${url}/`,
    `  Documentation:    ${url}/docs`,
    `  Operator's page:  ${operator}/`,
  ]);

  const registration = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
  const created = await fetch(`${url}/v1/user/create?${registration}`, { method: 'POST' });
  expect(created.status).toBe(201);
  const { apiKey } = (await created.json()) as { apiKey: string };
  const user = await fetch(`${url}/v1/user/usage`, { headers: { 'x-api-key': apiKey } });
  expect(user.status).toBe(200);
  for (const path of [
    '/health/ready',
    '/docs/prices',
    '/docs/client.md',
    '/docs/static/docs.css',
    '/docs/static/page.css',
    '/docs/static/docs.js',
    '/openapi.json',
  ])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  expect(await service.stop()).toBe(0);
}, 60_000);
