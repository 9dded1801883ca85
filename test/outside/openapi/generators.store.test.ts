import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../support/service/service.ts';

/*
 * Code generated from the description: types by openapi-typescript, and a client by @hey-api/openapi-ts that calls this
 * service.
 */

/** A program that uses both as users do. It does not compile if a name or type in the description is wrong. */
const USE = `
import { createClient } from './sdk/client';
import { createKey, getLatestPrice, getLatestPrices, getPriceHistoryByDays, listTokens, revokeKey } from './sdk';
import type { components, operations, paths } from './types';

type Json<Operation extends keyof operations> =
  operations[Operation]['responses'] extends { 200: { content: { 'application/json': infer Body } } } ? Body : never;

export const price = (latest: components['schemas']['LatestPrice']): number | null => latest.current_price;
export const points = ([series]: Json<'getPriceHistoryByDays'>): number => series?.prices.length ?? 0;
export const days: operations['getPriceHistoryByDays']['parameters']['query'] = { tokenName: 'bitcoin', days: 2 };
export type Problem = paths['/v1/prices/latest/token']['get']['responses'][429]['content']['application/problem+json'];
// @ts-expect-error the parameter is required
export const none: operations['getPriceHistoryByDays']['parameters']['query'] = { days: 2 };

export async function walk(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, headers: { 'X-API-KEY': key } });
  const { data: tokens } = await listTokens({ client });
  const { data: latest } = await getLatestPrice({ client, query: { tokenName: 'bitcoin', currency: 'eur' } });
  const { data: table } = await getLatestPrices({ client, query: { tokenNames: 'bitcoin,solana' } });
  const { data: history } = await getPriceHistoryByDays({ client, query: { tokenName: 'solana', days: 30 } });
  const { data: made } = await createKey({ client, query: { label: 'shop', scopes: 'prices' } });
  const { response } = await revokeKey({ client, path: { id: made?.id ?? 0 } });
  const { error } = await getLatestPrice({ client, query: { tokenName: 'bitcon' } });
  return {
    tokens: tokens?.length ?? 0,
    latest: latest?.current_price ?? null,
    table: table?.map(({ tokenName }) => tokenName),
    points: history ? ('length' in history && typeof history !== 'string' ? history[0]?.prices.length : 0) : 0,
    revoked: response?.status,
    code: error?.code,
  };
}
`;

const AS_IN_A_BROWSER = {
  ...{ noEmit: true, strict: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
  ...{ module: 'esnext', moduleResolution: 'bundler' },
};

const require = createRequire(import.meta.url);

let service: Service;
let folder: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([startService(), mkdtemp(join(tmpdir(), 'quotient-generated-'))]);
  const text = await (await service.get('/openapi.json')).text();
  const file = join(folder, 'openapi.json');
  await writeFile(file, text);
  await writeFile(join(folder, 'types.ts'), astToString(await openapiTS(text)));
  await createClient({ input: file, output: join(folder, 'sdk'), logs: { level: 'silent' } });
  await writeFile(join(folder, 'use.ts'), USE);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: AS_IN_A_BROWSER }));
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

it('the generated types, the generated client and a program that uses them compile', async () => {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const run = promisify(execFile)(process.execPath, [compiler, '-p', folder]);
  expect(await run.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' });
});

it('the generated client reads prices, creates a key and receives problems', async () => {
  const build = await rolldown({ input: join(folder, 'use.ts'), platform: 'neutral' });
  await build.write({ file: join(folder, 'use.mjs'), format: 'esm' });
  await build.close();
  const { walk } = await import(pathToFileURL(join(folder, 'use.mjs')).href);
  expect(await walk(service.url, await service.createUser())).toMatchObject({
    tokens: 5,
    latest: expect.any(Number),
    table: ['bitcoin', 'solana'],
    points: expect.any(Number),
    revoked: 204,
    code: 'invalid_request',
  });
});
