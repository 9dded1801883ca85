import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '#cosmos/dialects/adapter';
import type { NodeReply } from '#cosmos/exchange';
import { latestBlock, MODERN, scriptedNode } from './scripted-node.ts';

const page = (denoms: string[], nextKey: string | null): NodeReply => ({
  status: 200,
  body: {
    balances: denoms.map((denom) => ({ denom, amount: '1' })),
    pagination: { next_key: nextKey, total: '0' },
  },
  blockHeight: '42',
});

describe('balances of a modern node', () => {
  test('are fetched up to the last page, with the height of the first', async () => {
    const { send, requests } = scriptedNode([page(['a', 'b'], 'Yg=='), page(['c'], 'Yw+='), page(['d'], null)]);
    expect(await ADAPTERS.cosmos(send).balances('kava1abc')).toEqual({
      height: '42',
      result: ['a', 'b', 'c', 'd'].map((denom) => ({ denom, amount: '1' })),
    });
    expect(requests.map(({ query }) => query)).toEqual([
      [],
      [['pagination.key', 'Yg==']],
      [['pagination.key', 'Yw+=']],
    ]);
  });

  test('have up to 256 bits, without leading zeros', async () => {
    const largest = String(2n ** 256n - 1n);
    const balances = [
      { denom: 'aevmos', amount: '123456789012345678901234567' },
      { denom: 'wei', amount: largest },
      { denom: 'zero', amount: '0007' },
    ];
    const { send } = scriptedNode([{ status: 200, body: { balances }, blockHeight: '42' }]);
    const { result } = await ADAPTERS.cosmos(send).balances('kava1abc');
    expect(result.map(({ amount }) => amount)).toEqual(['123456789012345678901234567', largest, '7']);
    const more = { balances: [{ denom: 'wei', amount: `${largest}0` }] };
    await expect(
      ADAPTERS.cosmos(scriptedNode([{ status: 200, body: more }]).send).balances('kava1abc'),
    ).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('with a repeated page key, or without a last page, are malformed', async () => {
    const circle = scriptedNode([page(['a'], 'Yg=='), page(['b'], 'Yw=='), page(['c'], 'Yg==')]);
    await expect(ADAPTERS.cosmos(circle.send).balances('kava1abc')).rejects.toMatchObject({
      kind: 'malformed',
    });
    const endless = scriptedNode(Array.from({ length: 200 }, (_, i) => page(['a'], `k${i}`)));
    await expect(ADAPTERS.cosmos(endless.send).balances('kava1abc')).rejects.toMatchObject({
      kind: 'malformed',
    });
    expect(endless.requests.length).toBe(100);
  });

  test('of an address without balances are empty', async () => {
    const { send } = scriptedNode([page([], null)]);
    expect(await ADAPTERS.cosmos(send).balances('kava1abc')).toEqual({ height: '42', result: [] });
  });
});

const HASH = 'A'.repeat(64);
const response = { height: '7', txhash: HASH, code: 0, raw_log: '', tx: null };
const found = (total: object) => ({ txs: [{ body: {} }], tx_responses: [response], ...total });

describe('a search on a modern node', () => {
  test.each([
    ['since SDK 0.46', { pagination: null, total: '61' }, '61', '3'],
    ['before SDK 0.46', { pagination: { next_key: null, total: '61' } }, '61', '3'],
    ['when omitted', { pagination: null }, '31', '2'],
    ['when zero despite results', { pagination: null, total: '0' }, '31', '2'],
  ])('reads the total %s', async (_when, total, totalCount, pages) => {
    const { send } = scriptedNode([found(total)]);
    const query = [['message.sender', 'kava1abc'] as const, ['page', '2'] as const];
    const { txs, ...counts } = await ADAPTERS.cosmos(send).transactions(query);
    expect(counts).toEqual({
      total_count: totalCount,
      count: '1',
      page_number: '2',
      page_total: pages,
      limit: '30',
    });
    expect(txs).toEqual([{ height: '7', txhash: HASH, raw_log: '', tx: { body: {} } }]);
  });

  test('uses `query`, falls back to `events`, and remembers it', async () => {
    const body = { code: 3, message: 'must declare at least one event to search', details: [] };
    const none = { txs: [], tx_responses: [], pagination: { total: '0' } };
    const { send, requests } = scriptedNode([{ status: 400, body }, none, none]);
    const calls = ADAPTERS.cosmos(send);
    const query = [['message.sender', 'kava1abc'] as const, ['tx.minheight', '05'] as const];
    const empty = { total_count: '0', count: '0', page_number: '1', page_total: '0', limit: '30', txs: [] };
    expect(await calls.transactions(query)).toEqual(empty);
    expect(await calls.transactions(query)).toEqual(empty);
    const paging = [
      ['page', '1'],
      ['limit', '30'],
      ['pagination.offset', '0'],
      ['pagination.limit', '30'],
    ];
    const events = [['events', "message.sender='kava1abc'"], ['events', 'tx.height>=5'], ...paging];
    expect(requests.map((request) => request.query)).toEqual([
      [['query', "message.sender='kava1abc' AND tx.height>=5"], ...paging],
      events,
      events,
    ]);
  });

  test('returns to `query` after an upgrade of the node', async () => {
    const body = { code: 3, message: 'query cannot be empty', details: [] };
    const capabilities = { conditionsIn: 'events' as const };
    const { send, requests } = scriptedNode([
      { status: 400, body },
      { txs: [], tx_responses: [] },
    ]);
    await ADAPTERS.cosmos(send, capabilities).transactions([['query', "a.b='x'"]]);
    expect(requests.map(({ query }) => query[0]?.[0])).toEqual(['events', 'query']);
    expect(capabilities.conditionsIn).toBe('query');
  });
});

describe('a legacy node', () => {
  test('omits zeros, which are added', async () => {
    const { send } = scriptedNode([{ txs: null, page_number: '1', limit: '30', total_count: '0' }]);
    expect(await ADAPTERS.legacy(send).transactions([['tx.height', '5']])).toEqual({
      total_count: '0',
      count: '0',
      page_number: '1',
      page_total: '0',
      limit: '30',
      txs: [],
    });
  });

  test.each([{ block: { header: { height: '9' } } }, { block_meta: { header: { height: '9' } }, block: null }])(
    'reports its height as %o',
    async (body) => expect((await ADAPTERS.legacy(scriptedNode([body]).send).head()).height).toBe(9),
  );

  test('is queried with legacy parameters, which it decodes twice', async () => {
    const { send, requests } = scriptedNode([{ txs: [], total_count: '0' }]);
    await ADAPTERS.legacy(send).transactions([
      ['message.action', 'a+b%27'],
      ['events', "transfer.recipient='kava1x'"],
      ['query', 'tx.height=5'],
    ]);
    expect(requests[0]?.query).toEqual([
      ['message.action', 'a%2Bb%2527'],
      ['transfer.recipient', 'kava1x'],
      ['tx.height', '5'],
      ['page', '1'],
      ['limit', '30'],
    ]);
  });

  test('rejects conditions other than equality', async () => {
    const { send, requests } = scriptedNode([]);
    const search = ADAPTERS.legacy(send).transactions([['query', "tx.height>5 AND a.b CONTAINS 'x'"]]);
    await expect(search).rejects.toMatchObject({ name: 'NodeRejection', status: 422 });
    expect(requests).toEqual([]);
  });
});

test('the latest height of a modern node', async () => {
  const { send } = scriptedNode({ [MODERN.latest]: latestBlock(12) });
  expect((await ADAPTERS.cosmos(send).head()).height).toBe(12);
});
