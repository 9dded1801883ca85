import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOperatorPage } from '../../../scripts/build-operator.ts';
import { type OperatorService, startOperator } from '../operator-harness.ts';

let folder: string;
let service: OperatorService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-operator-'));
  await buildOperatorPage(folder);
  service = await startOperator({ pageFolder: folder });
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';

it('serves the page without a token, with a strict policy and without inline code', async () => {
  const { status, headers, text } = await service.send('/', { token: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(policyOf(headers)).toContain("default-src 'none'; script-src 'self'");
  expect(policyOf(headers)).not.toContain('unsafe');
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)|https?:/);
  expect(text).not.toContain('<!-- states -->');
  const loaded = [...text.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+)"/g)];
  expect(loaded).toHaveLength(4);
  for (const [, path] of loaded) expect((await service.send(`/${path}`, { token: null })).status, path).toBe(200);
});

it('lets browsers keep the assets, whose names contain a hash', async () => {
  const names = (await readdir(join(folder, 'operator'))).filter((name) => !/\.(br|gz)$/.test(name));
  for (const name of names) {
    const { headers } = await service.send(`/operator/${name}`, { token: null });
    expect(headers.get('cache-control'), name).toBe('public, max-age=31536000, immutable');
    expect(policyOf(headers), name).toContain("default-src 'none'");
  }
});

it('is not served on the public port', async () => {
  const names = await readdir(join(folder, 'operator'));
  for (const path of ['/', ...names.map((name) => `/operator/${name}`)])
    expect((await service.get(path)).status, path).toBe(404);
});
