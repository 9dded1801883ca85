import { describe, expect, test } from 'vitest';
import { createAdapter } from '#cosmos/dialects/adapter';
import type { NodeReply } from '#cosmos/exchange';
import { latestBlock, MODERN, scriptedNode } from './ask.ts';

const page = (denoms: string[], nextKey: string | null): NodeReply => ({
  status: 200,
  body: {
    balances: denoms.map((denom) => ({ denom, amount: '1' })),
    pagination: { next_key: nextKey, total: '0' },
  },
  blockHeight: '42',
});

describe('balances of a modern node', () => {
  test('are read to the last page, with the height of the first', async () => {
    const { ask, asked } = scriptedNode([page(['a', 'b'], 'Yg=='), page(['c'], 'Yw+='), page(['d'], null)]);
    expect(await createAdapter('cosmos', ask).balances('kava1abc')).toEqual({
      height: '42',
      result: ['a', 'b', 'c', 'd'].map((denom) => ({ denom, amount: '1' })),
    });
    expect(asked.map(({ query }) => query)).toEqual([[], [['pagination.key', 'Yg==']], [['pagination.key', 'Yw+=']]]);
  });

  test('are as large as a chain can have them, without zeros before them', async () => {
    const largest = String(2n ** 256n - 1n);
    const balances = [
      { denom: 'aevmos', amount: '123456789012345678901234567' },
      { denom: 'wei', amount: largest },
      { denom: 'zero', amount: '0007' },
    ];
    const { ask } = scriptedNode([{ status: 200, body: { balances }, blockHeight: '42' }]);
    const { result } = await createAdapter('cosmos', ask).balances('kava1abc');
    expect(result.map(({ amount }) => amount)).toEqual(['123456789012345678901234567', largest, '7']);
    const more = { balances: [{ denom: 'wei', amount: `${largest}0` }] };
    await expect(
      createAdapter('cosmos', scriptedNode([{ status: 200, body: more }]).ask).balances('kava1abc'),
    ).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('with a key that comes again, or without an end, are malformed', async () => {
    const circle = scriptedNode([page(['a'], 'Yg=='), page(['b'], 'Yw=='), page(['c'], 'Yg==')]);
    await expect(createAdapter('cosmos', circle.ask).balances('kava1abc')).rejects.toMatchObject({
      kind: 'malformed',
    });
    const endless = scriptedNode(Array.from({ length: 200 }, (_, i) => page(['a'], `k${i}`)));
    await expect(createAdapter('cosmos', endless.ask).balances('kava1abc')).rejects.toMatchObject({
      kind: 'malformed',
    });
    expect(endless.asked.length).toBe(100);
  });

  test('of an address that has none', async () => {
    const { ask } = scriptedNode([page([], null)]);
    expect(await createAdapter('cosmos', ask).balances('kava1abc')).toEqual({ height: '42', result: [] });
  });
});

const HASH = 'A'.repeat(64);
const response = { height: '7', txhash: HASH, code: 0, raw_log: '', tx: null };
const found = (total: object) => ({ txs: [{ body: {} }], tx_responses: [response], ...total });

describe('a search on a modern node', () => {
  test.each([
    ['since SDK 0.46', { pagination: null, total: '61' }, '61', '3'],
    ['before', { pagination: { next_key: null, total: '61' } }, '61', '3'],
    ['left out', { pagination: null }, '31', '2'],
    ['a zero beside results', { pagination: null, total: '0' }, '31', '2'],
  ])('with its total as it is told %s', async (_when, total, totalCount, pages) => {
    const { ask } = scriptedNode([found(total)]);
    const query = [['message.sender', 'kava1abc'] as const, ['page', '2'] as const];
    const { txs, ...counts } = await createAdapter('cosmos', ask).transactions(query);
    expect(counts).toEqual({
      total_count: totalCount,
      count: '1',
      page_number: '2',
      page_total: pages,
      limit: '30',
    });
    expect(txs).toEqual([{ height: '7', txhash: HASH, raw_log: '', tx: { body: {} } }]);
  });

  test('asks in `query`, falls back to `events`, and remembers it', async () => {
    const body = { code: 3, message: 'must declare at least one event to search', details: [] };
    const none = { txs: [], tx_responses: [], pagination: { total: '0' } };
    const { ask, asked } = scriptedNode([{ status: 400, body }, none, none]);
    const calls = createAdapter('cosmos', ask);
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
    expect(asked.map((one) => one.query)).toEqual([
      [['query', "message.sender='kava1abc' AND tx.height>=5"], ...paging],
      events,
      events,
    ]);
  });

  test('goes back to `query` when the node has moved on', async () => {
    const body = { code: 3, message: 'query cannot be empty', details: [] };
    const habits = { conditionsIn: 'events' as const };
    const { ask, asked } = scriptedNode([
      { status: 400, body },
      { txs: [], tx_responses: [] },
    ]);
    await createAdapter('cosmos', ask, habits).transactions([['query', "a.b='x'"]]);
    expect(asked.map(({ query }) => query[0]?.[0])).toEqual(['events', 'query']);
    expect(habits.conditionsIn).toBe('query');
  });
});

describe('a legacy node', () => {
  test('leaves out zeros, which are filled in', async () => {
    const { ask } = scriptedNode([{ txs: null, page_number: '1', limit: '30', total_count: '0' }]);
    expect(await createAdapter('legacy', ask).transactions([['tx.height', '5']])).toEqual({
      total_count: '0',
      count: '0',
      page_number: '1',
      page_total: '0',
      limit: '30',
      txs: [],
    });
  });

  test.each([{ block: { header: { height: '9' } } }, { block_meta: { header: { height: '9' } }, block: null }])(
    'tells its height as %o',
    async (body) => expect(await createAdapter('legacy', scriptedNode([body]).ask).latestHeight()).toBe(9),
  );

  test('is asked in its own words, which it decodes twice', async () => {
    const { ask, asked } = scriptedNode([{ txs: [], total_count: '0' }]);
    await createAdapter('legacy', ask).transactions([
      ['message.action', 'a+b%27'],
      ['events', "transfer.recipient='kava1x'"],
      ['query', 'tx.height=5'],
    ]);
    expect(asked[0]?.query).toEqual([
      ['message.action', 'a%2Bb%2527'],
      ['transfer.recipient', 'kava1x'],
      ['tx.height', '5'],
      ['page', '1'],
      ['limit', '30'],
    ]);
  });

  test('has no word for another condition than equality', async () => {
    const { ask, asked } = scriptedNode([]);
    const search = createAdapter('legacy', ask).transactions([['query', "tx.height>5 AND a.b CONTAINS 'x'"]]);
    await expect(search).rejects.toMatchObject({ name: 'NodeRejection', status: 422 });
    expect(asked).toEqual([]);
  });
});

test('the newest block of a modern node', async () => {
  const { ask } = scriptedNode({ [MODERN.latest]: latestBlock(12) });
  expect(await createAdapter('cosmos', ask).latestHeight()).toBe(12);
});
