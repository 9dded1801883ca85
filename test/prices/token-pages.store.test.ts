import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import type { TokenRecord } from '#prices/model/prices-records';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const ALL = BUILT_IN_TOKENS.map(({ name }) => name);

async function read(query: string) {
  const response = await service.get(`/v1/tokens${query}`);
  expect(response.status).toBe(200);
  const tokens = (await response.json()) as TokenRecord[];
  const next = /^<(\?[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  return { names: tokens.map(({ tokenName }) => tokenName), tokens, next };
}

test('links each page to the next one', async () => {
  const pages: string[][] = [];
  for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
    const { names, next } = await read(query);
    pages.push(names);
    query = next;
  }
  expect(pages.flat()).toEqual(ALL);
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
});

test('a page that ends with the last token links to no other page', async () => {
  expect(await read(`?limit=${ALL.length}`)).toMatchObject({ names: ALL, next: undefined });
  expect(await read(`?limit=1&after=${ALL.at(-2)}`)).toMatchObject({ names: [ALL.at(-1)], next: undefined });
  expect(await read(`?after=${ALL.at(-1)}`)).toEqual({ names: [], tokens: [], next: undefined });
  expect(await read(`?after=${ALL[0]}`)).toMatchObject({ names: ALL.slice(1), next: undefined });
});

test('returns the requested tokens in their order, with the same records as the whole list', async () => {
  const whole = await read('');
  const { names, tokens } = await read('?tokenNames=sol, Bitcoin');
  expect(names).toEqual(['solana', 'bitcoin']);
  expect(tokens).toEqual(names.map((name) => whole.tokens.find(({ tokenName }) => tokenName === name)));
});

test('a page has its own validator', async () => {
  const first = await service.get('/v1/tokens?limit=1');
  await first.arrayBuffer();
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await service.get('/v1/tokens?limit=1', { headers })).status).toBe(304);
  const other = await service.get('/v1/tokens?limit=2', { headers });
  expect(other.status).toBe(200);
  await other.arrayBuffer();
});

test.each([
  ['?limit=0', 'query.limit'],
  ['?limit=1001', 'query.limit'],
  ['?limit=two', 'query.limit'],
  ['?limit=2&after=nothing', 'query.after'],
  ['?tokenNames=', 'query.tokenNames'],
  ['?tokenNames=bitcoin,nothing', 'query.tokenNames'],
  ['?tokenNames=bitcoin&limit=2', 'query.tokenNames'],
  ['?tokenNames=bitcoin&after=solana', 'query.tokenNames'],
])('rejects %s', async (query, location) => {
  const response = await service.get(`/v1/tokens${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ location }] });
});
