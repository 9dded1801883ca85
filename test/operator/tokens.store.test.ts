import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AddedToken, ServedToken } from '#operator/tokens/token-records';
import { type OperatorService, startOperator } from './operator-harness.ts';

let service: OperatorService;
beforeAll(async () => {
  service = await startOperator({ settings: { COINGECKO_CALLS_PER_MINUTE: '1000' } });
});
afterAll(() => service?.close());

const put = (path: string, body: object = {}) => service.send(`/admin/v1/tokens/${path}`, { method: 'PUT', body });
const remove = (id: string) => service.send(`/admin/v1/tokens/${id}`, { method: 'DELETE' });
const idsIn = ({ items }: { items: ServedToken[] }) => items.map(({ id }) => id);
const list = async (query = '') => (await service.send(`/admin/v1/tokens?${query}`)).body;

it('finds coins, adds one as a token, and removes it, each with an audit event', async () => {
  const coins = (await service.send('/admin/v1/coins?query=alba')).body;
  expect(coins[0]).toEqual({ id: 'albado', symbol: 'abd', title: 'Albado' });
  const added = await put('albado');
  expect(added.status).toBe(200);
  expect(added.body as AddedToken).toMatchObject({
    token: { id: 'albado', symbol: 'abd', title: 'Albado', successor: null, origin: 'operator' },
    isNew: true,
    symbolOf: 'albado',
    pairs: [{ exchange: 'kraken', pair: 'ABDUSD', outcome: 'found', candidate: null }],
  });
  const tokens = async () => ((await (await service.get('/v1/tokens')).json()) as { tokenName: string }[]).length;
  const before = await tokens();
  expect((await put('albado', { pairs: { kraken: 'none' } })).body).toMatchObject({
    token: { pairs: {} },
    isNew: false,
    pairs: [{ exchange: 'kraken', pair: null, outcome: 'left_out' }],
  });
  expect((await remove('albado')).status).toBe(204);
  expect(idsIn(await list('query=albado'))).toEqual([]);
  const { items } = (await service.send('/admin/v1/audit')).body;
  expect(items.map(({ action, target, actor }: Record<string, string>) => [action, target, actor])).toEqual([
    ['token.remove', 'token:albado', 'admin'],
    ['token.add', 'token:albado', 'admin'],
    ['token.add', 'token:albado', 'admin'],
  ]);
  expect(before).toBe(6);
});

it('sets the successor of a token and removes it', async () => {
  await put('albaka');
  await put('albali', { symbol: 'BTC' });
  expect((await put('albaka/successor', { successor: 'albali' })).status).toBe(204);
  expect((await list('query=albaka')).items).toMatchObject([{ id: 'albaka', successor: 'albali' }]);
  expect((await put('albali/successor', { successor: 'albaka' })).body.code).toBe('token_rejected');
  const unknown = await put('albali/successor', { successor: 'albakka' });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  expect(unknown.body.detail).toContain('albaka');
  expect((await put('albaka/successor', { successor: null })).status).toBe(204);
  expect((await list('query=albaka')).items).toMatchObject([{ successor: null }]);
});

it('lists the tokens in pages', async () => {
  const all = idsIn(await list());
  expect(all.slice(0, 2)).toEqual(['bitcoin', 'arweave']);
  const paged: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await list(`limit=2${cursor}`);
    paged.push(...idsIn(page));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(paged).toEqual(all);
  expect(idsIn(await list('query=BTC'))).toContain('bitcoin');
  expect((await list('cursor=W10')).code).toBe('invalid_request');
});

it.each([
  ['PUT', 'bitcoin', {}, 409, 'token_rejected'],
  ['PUT', 'eth', {}, 409, 'token_rejected'],
  ['PUT', 'bebado', { pairs: { kraken: 'nosuch' } }, 409, 'token_rejected'],
  ['PUT', 'solan', {}, 404, 'not_found'],
  ['PUT', '..%2fping', {}, 400, 'invalid_request'],
  ['PUT', 'bebado', { symbol: 'two words' }, 400, 'invalid_request'],
  ['PUT', 'bebado', { pairs: { krakem: 'none' } }, 400, 'invalid_request'],
  ['PUT', 'bebado', { pair: 'none' }, 400, 'invalid_request'],
  ['DELETE', 'bitcoin', undefined, 409, 'token_rejected'],
  ['DELETE', 'solan', undefined, 404, 'not_found'],
  ['DELETE', 'a%00b', undefined, 400, 'invalid_request'],
  ['PUT', 'bitcoin/successor', { successor: null }, 409, 'token_rejected'],
  ['PUT', 'bebado/successor', { successor: null }, 404, 'not_found'],
  ['PUT', 'bebado/successor', {}, 400, 'invalid_request'],
])('rejects %s /tokens/%s %j', async (method, path, body, status, code) => {
  const before = idsIn(await list());
  const response = await service.send(`/admin/v1/tokens/${path}`, { method, body });
  expect([response.status, response.body.code]).toEqual([status, code]);
  expect(idsIn(await list())).toEqual(before);
});

it('suggests similar IDs', async () => {
  expect((await put('solan')).body.detail).toContain('solana');
  expect((await remove('solan')).body.detail).toContain('solana');
});

it('reports a failing CoinGecko and a spent budget, and adds nothing', async () => {
  service.sandbox.faults.always({ kind: 'status', status: 500, body: {} }, { path: '/coins/bebado' });
  const failed = await put('bebado');
  service.sandbox.faults.clear();
  expect([failed.status, failed.body.code]).toEqual([503, 'upstream_unavailable']);
  const spent = await startOperator({ settings: { COINGECKO_CALLS_PER_MONTH: '1' } });
  try {
    const send = () => spent.send('/admin/v1/tokens/bebado', { method: 'PUT', body: {} });
    const responses = [await send(), await send()];
    expect(responses.at(-1)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect((await spent.send('/admin/v1/sources')).body[0]).toMatchObject({ name: 'coingecko', state: 'exhausted' });
  } finally {
    await spent.close();
  }
});

it('changes served tokens although CoinGecko is not a source', async () => {
  const without = await startOperator({ settings: { MARKET_SOURCES: 'kraken' } });
  try {
    expect((await without.send('/admin/v1/coins?query=alba')).body.code).toBe('token_rejected');
    const added = await without.send('/admin/v1/tokens/albado', { method: 'PUT', body: {} });
    expect(added.body.code).toBe('token_rejected');
    expect((await without.send('/admin/v1/tokens')).body.items).toHaveLength(5);
  } finally {
    await without.close();
  }
});
