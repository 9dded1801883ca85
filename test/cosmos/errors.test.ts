import { describe, expect, test } from 'vitest';
import { createAdapter, detectDialect } from '#cosmos/dialects/adapter';
import { latestBlock, MODERN, scriptedNode } from './ask.ts';

const HASH = 'A'.repeat(64);

describe('what a node answers in place of a result', () => {
  test.each([
    ['a legacy refusal', 400, { error: 'decoding bech32 failed' }, { name: 'NodeRejection', status: 400 }],
    [
      'a refusal under 500, which would only be repeated',
      500,
      { error: 'page should be within [1, 1] range, given 2' },
      { name: 'NodeRejection', status: 400 },
    ],
    [
      'the trouble of a gateway that has lost its node',
      500,
      { error: 'ABCIQuery: Post failed: dial tcp 127.0.0.1:26657: connection refused' },
      { name: 'NodeFault', kind: 'unavailable' },
    ],
    [
      'a broadcast that was not waited for to the end',
      500,
      { error: 'timed out waiting for tx to be included in a block' },
      { name: 'NodeFault', kind: 'unavailable' },
    ],
    ['code 3', 400, { code: 3, message: 'invalid address', details: [] }, { name: 'NodeRejection', status: 400 }],
    ['code 5', 404, { code: 5, message: 'account not found' }, { name: 'NodeRejection', status: 404 }],
    ['code 5 of an older node', 400, { code: 5, message: 'gone' }, { name: 'NodeRejection', status: 404 }],
    ['code 2 under 500', 500, { code: 2, message: 'bad page' }, { name: 'NodeRejection', status: 400 }],
    ['a 422', 422, { code: 3, message: 'bad' }, { name: 'NodeRejection', status: 422 }],
    ['another 4xx', 409, { code: 6, message: 'exists' }, { name: 'NodeRejection', status: 400 }],
    ['code 12', 501, { code: 12, message: 'Not Implemented' }, { name: 'NodeFault', kind: 'wrong_dialect' }],
    [
      'a newer gateway’s unknown path',
      404,
      { code: 5, message: 'Not Found', details: [] },
      { name: 'NodeFault', kind: 'wrong_dialect' },
    ],
    ['a page that is not there', 404, undefined, { name: 'NodeFault', kind: 'wrong_dialect' }],
    ['code 14', 503, { code: 14, message: 'closing' }, { name: 'NodeFault', kind: 'unavailable' }],
    [
      'code 13 of one that keeps no index',
      500,
      { code: 13, message: 'transaction indexing is disabled' },
      { kind: 'unavailable' },
    ],
    ['a key that is wanted of us', 401, { message: 'no key' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['a redirect with a word', 302, { message: 'moved' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['a bill that is ours', 402, { message: 'out of credits' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['code 1', 499, { code: 1, message: 'context canceled' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['the same under 500', 500, { error: 'context canceled' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['429', 429, { message: 'slow down' }, { name: 'NodeFault', kind: 'rate_limited' }],
    ['code 8', 429, { code: 8, message: 'exhausted' }, { name: 'NodeFault', kind: 'rate_limited' }],
    ['a proxy’s page', 502, undefined, { name: 'NodeFault', kind: 'unavailable' }],
    ['a redirect', 302, undefined, { name: 'NodeFault', kind: 'malformed' }],
    ['a list', 200, [], { name: 'NodeFault', kind: 'malformed' }],
    ['no JSON', 200, undefined, { name: 'NodeFault', kind: 'malformed' }],
  ])('%s', async (_name, status, body, error) => {
    const { ask } = scriptedNode([{ status, body }]);
    await expect(createAdapter('cosmos', ask).balances('kava1abc')).rejects.toMatchObject(error);
    const legacy = scriptedNode([{ status, body }]);
    await expect(createAdapter('legacy', legacy.ask).balances('kava1abc')).rejects.toMatchObject(error);
  });
});

const good = { height: '5', txhash: HASH, raw_log: '' };

describe('a transaction that is none', () => {
  test.each([
    {},
    { ...good, txhash: undefined },
    { ...good, txhash: 'malformed' },
    { ...good, txhash: 'B'.repeat(64) },
    { ...good, height: -1 },
    { ...good, height: 'high' },
    { ...good, code: 'no' },
    { ...good, raw_log: {} },
    { ...good, gas_used: {} },
    { ...good, logs: 'none' },
    { ...good, timestamp: 5 },
  ])('%o', async (transaction) => {
    const legacy = createAdapter('legacy', scriptedNode([transaction]).ask);
    await expect(legacy.transaction(HASH)).rejects.toMatchObject({ kind: 'malformed' });
    const modern = createAdapter('cosmos', scriptedNode([{ tx_response: transaction }]).ask);
    await expect(modern.transaction(HASH)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('members that are not known are kept, also those that objects have anyway', async () => {
    const body = JSON.parse(JSON.stringify({ ...good, tags: [1], constructor: 'x' }));
    expect(await createAdapter('legacy', scriptedNode([body]).ask).transaction(HASH)).toEqual(body);
  });
});

describe('balances that are none', () => {
  test.each([{}, { height: 'x', result: [] }, { height: '1', result: {} }, { height: '1', result: [{ denom: '' }] }])(
    '%o',
    async (body) => {
      await expect(createAdapter('legacy', scriptedNode([body]).ask).balances('kava1abc')).rejects.toMatchObject({
        kind: 'malformed',
      });
    },
  );
});

describe('a broadcast in the other dialect is refused before anything is sent', () => {
  test.each([
    ['cosmos', { tx: { msg: [] }, mode: 'sync' }, /send tx_bytes/],
    ['legacy', { tx_bytes: 'CpAB', mode: 'sync' }, /send tx$/],
  ] as const)('%s', async (dialect, request, message) => {
    const { ask, asked } = scriptedNode([]);
    await expect(createAdapter(dialect, ask).broadcast(request)).rejects.toMatchObject({
      name: 'NodeRejection',
      status: 422,
      message: expect.stringMatching(message),
    });
    expect(asked).toEqual([]);
  });
});

describe('which dialect a node speaks', () => {
  test('is told by its latest block', async () => {
    const modern = scriptedNode({ [MODERN.latest]: latestBlock(5) });
    expect(await detectDialect(modern.ask)).toBe('cosmos');
    const legacy = scriptedNode({ '/blocks/latest': latestBlock(5) });
    expect(await detectDialect(legacy.ask)).toBe('legacy');
    const both = scriptedNode({ [MODERN.latest]: latestBlock(5), '/blocks/latest': latestBlock(5) });
    expect(await detectDialect(both.ask)).toBe('cosmos');
  });

  test('is not known of a server that is no node', async () => {
    await expect(detectDialect(scriptedNode({}).ask)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('is not known of a node in trouble, which may be back', async () => {
    const { ask } = scriptedNode([{ status: 503, body: { code: 14, message: 'closing' } }]);
    await expect(detectDialect(ask)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('is not known when there is no answer: the carrier’s error goes on', async () => {
    const lost = new Error('lost');
    await expect(detectDialect(async () => Promise.reject(lost))).rejects.toBe(lost);
  });
});
