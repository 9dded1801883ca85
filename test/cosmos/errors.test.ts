import { describe, expect, test } from 'vitest';
import { ADAPTERS, detectDialect } from '#cosmos/dialects/adapter';
import { latestBlock, MODERN, scriptedNode } from './scripted-node.ts';

const HASH = 'A'.repeat(64);

describe('an error response of a node', () => {
  test.each([
    ['a legacy rejection', 400, { error: 'decoding bech32 failed' }, { name: 'NodeRejection', status: 400 }],
    [
      'a rejection with 500, which would recur',
      500,
      { error: 'page should be within [1, 1] range, given 2' },
      { name: 'NodeRejection', status: 400 },
    ],
    [
      'a gateway that cannot reach its node',
      500,
      { error: 'ABCIQuery: Post failed: dial tcp 127.0.0.1:26657: connection refused' },
      { name: 'NodeFault', kind: 'not_ready' },
    ],
    [
      'a broadcast that timed out',
      500,
      { error: 'timed out waiting for tx to be included in a block' },
      { name: 'NodeFault', kind: 'unavailable' },
    ],
    ['code 3', 400, { code: 3, message: 'invalid address', details: [] }, { name: 'NodeRejection', status: 400 }],
    ['code 5', 404, { code: 5, message: 'account not found' }, { name: 'NodeRejection', status: 404 }],
    ['code 5 of an older node', 400, { code: 5, message: 'gone' }, { name: 'NodeRejection', status: 404 }],
    ['code 2 with 500', 500, { code: 2, message: 'bad page' }, { name: 'NodeRejection', status: 400 }],
    ['a 422', 422, { code: 3, message: 'bad' }, { name: 'NodeRejection', status: 422 }],
    ['another 4xx', 409, { code: 6, message: 'exists' }, { name: 'NodeRejection', status: 400 }],
    ['code 12', 501, { code: 12, message: 'Not Implemented' }, { name: 'NodeFault', kind: 'wrong_dialect' }],
    [
      'an unknown path of a newer gateway',
      404,
      { code: 5, message: 'Not Found', details: [] },
      { name: 'NodeFault', kind: 'wrong_dialect' },
    ],
    ['404 without a body', 404, undefined, { name: 'NodeFault', kind: 'wrong_dialect' }],
    ['code 14', 503, { code: 14, message: 'closing' }, { name: 'NodeFault', kind: 'unavailable' }],
    [
      'code 13 of a node without an index',
      500,
      { code: 13, message: 'transaction indexing is disabled' },
      { kind: 'unavailable' },
    ],
    ['a missing API key of the operator', 401, { message: 'no key' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['a redirect with a message', 302, { message: 'moved' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['an unpaid bill of the operator', 402, { message: 'out of credits' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['code 1', 499, { code: 1, message: 'context canceled' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['code 1 with 500', 500, { error: 'context canceled' }, { name: 'NodeFault', kind: 'unavailable' }],
    ['429', 429, { message: 'slow down' }, { name: 'NodeFault', kind: 'rate_limited' }],
    ['code 8', 429, { code: 8, message: 'exhausted' }, { name: 'NodeFault', kind: 'rate_limited' }],
    ['an error page of a proxy', 502, undefined, { name: 'NodeFault', kind: 'unavailable' }],
    ['a redirect', 302, undefined, { name: 'NodeFault', kind: 'malformed' }],
    [
      'a gRPC error with status 200',
      200,
      { code: 3, message: 'bad', details: [] },
      { name: 'NodeRejection', status: 400 },
    ],
    ['code 5 with status 200', 200, { code: 5, message: 'gone', details: [] }, { name: 'NodeRejection', status: 404 }],
    ['code 14 with status 200', 200, { code: 14, message: 'closing', details: [] }, { kind: 'unavailable' }],
    ['a legacy error with status 200', 200, { error: 'bad page' }, { name: 'NodeRejection', isDoubtful: true }],
    [
      'a JSON-RPC error with status 200',
      200,
      { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
      { isDoubtful: true },
    ],
    [
      'code 8 for a large response',
      429,
      { code: 8, message: 'received message larger than max (5 vs. 4)' },
      { kind: 'too_large' },
    ],
    ['a list', 200, [], { name: 'NodeFault', kind: 'malformed' }],
    ['invalid JSON', 200, undefined, { name: 'NodeFault', kind: 'malformed' }],
  ])('%s', async (_name, status, body, error) => {
    const { send } = scriptedNode([{ status, body }]);
    await expect(ADAPTERS.cosmos(send).balances('kava1abc')).rejects.toMatchObject(error);
    const legacy = scriptedNode([{ status, body }]);
    await expect(ADAPTERS.legacy(legacy.send).balances('kava1abc')).rejects.toMatchObject(error);
  });
});

const good = { height: '5', txhash: HASH, raw_log: '' };

describe('a malformed transaction', () => {
  test.each([
    {},
    { ...good, txhash: undefined },
    { ...good, txhash: 'malformed' },
    { ...good, txhash: 'B'.repeat(64) },
    { ...good, height: -1 },
    { ...good, height: 'high' },
    { ...good, code: 'no' },
  ])('%o', async (transaction) => {
    const legacy = ADAPTERS.legacy(scriptedNode([transaction]).send);
    await expect(legacy.transaction(HASH)).rejects.toMatchObject({ kind: 'malformed' });
    const modern = ADAPTERS.cosmos(scriptedNode([{ tx_response: transaction }]).send);
    await expect(modern.transaction(HASH)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test.each([
    ['raw_log', {}],
    ['gas_used', {}],
    ['gas_wanted', '-1'],
    ['gas_wanted', -1],
    ['logs', 'none'],
    ['timestamp', 5],
    ['codespace', []],
  ])('is returned without an optional member that is malformed: %s %o', async (name, value) => {
    const { [name]: _, ...rest } = good as Record<string, unknown>;
    const legacy = ADAPTERS.legacy(scriptedNode([{ ...good, [name]: value }]).send);
    expect(await legacy.transaction(HASH)).toEqual(rest);
    const modern = ADAPTERS.cosmos(scriptedNode([{ tx_response: { ...good, [name]: value } }]).send);
    expect(await modern.transaction(HASH)).toMatchObject(name === 'raw_log' ? { ...rest, raw_log: '' } : rest);
  });

  test('keeps unknown members, even names that every object inherits', async () => {
    const body = JSON.parse(JSON.stringify({ ...good, tags: [1], constructor: 'x' }));
    expect(await ADAPTERS.legacy(scriptedNode([body]).send).transaction(HASH)).toEqual(body);
  });
});

describe('malformed balances', () => {
  test.each([{}, { height: 'x', result: [] }, { height: '1', result: {} }, { height: '1', result: [{ denom: '' }] }])(
    '%o',
    async (body) => {
      await expect(ADAPTERS.legacy(scriptedNode([body]).send).balances('kava1abc')).rejects.toMatchObject({
        kind: 'malformed',
      });
    },
  );
});

describe('a broadcast in the other dialect is rejected before anything is sent', () => {
  test.each([
    ['cosmos', { tx: { msg: [] }, mode: 'sync' }, /send tx_bytes/],
    ['legacy', { tx_bytes: 'CpAB', mode: 'sync' }, / tx$/],
  ] as const)('%s', async (dialect, request, message) => {
    const { send, requests } = scriptedNode([]);
    await expect(ADAPTERS[dialect](send).broadcast(request)).rejects.toMatchObject({
      name: 'NodeRejection',
      status: 422,
      message: expect.stringMatching(message),
    });
    expect(requests).toEqual([]);
  });
});

describe('the detection of the dialect', () => {
  test('uses the latest block', async () => {
    const modern = scriptedNode({ [MODERN.latest]: latestBlock(5) });
    expect(await detectDialect(modern.send)).toBe('cosmos');
    const legacy = scriptedNode({ '/blocks/latest': latestBlock(5) });
    expect(await detectDialect(legacy.send)).toBe('legacy');
    const both = scriptedNode({ [MODERN.latest]: latestBlock(5), '/blocks/latest': latestBlock(5) });
    expect(await detectDialect(both.send)).toBe('cosmos');
  });

  test('fails for a server that is not a node', async () => {
    await expect(detectDialect(scriptedNode({}).send)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('fails for an unavailable node', async () => {
    const { send } = scriptedNode([{ status: 503, body: { code: 14, message: 'closing' } }]);
    await expect(detectDialect(send)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('rejects with the error of the transport if there is no response', async () => {
    const lost = new Error('lost');
    await expect(detectDialect(async () => Promise.reject(lost))).rejects.toBe(lost);
  });
});
