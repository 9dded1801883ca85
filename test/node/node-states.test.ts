import { describe, expect, test } from 'vitest';
import { txHashOf } from '#cosmos/transactions';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../fixtures/clock.ts';
import type { FakeResponse, UpstreamCall } from '../support/upstream/upstream-server.ts';
import { ADDRESS, HASH, SHORT, serviceOver, TX_BYTES, testNode } from './node-harness.ts';
import { MEMPOOL_IS_FULL, NODE_STATES } from './node-state-faults.ts';

const hash = await txHashOf(TX_BYTES);
const STATES = Object.keys(NODE_STATES) as (keyof typeof NODE_STATES)[];
const isLegacy = (state: string) => state.startsWith('legacy');
const isPost = ({ method }: UpstreamCall) => method === 'POST';

function responseOf(state: keyof typeof NODE_STATES): FakeResponse {
  const { status, body } = NODE_STATES[state];
  return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

async function twoNodes(state: string, options = {}) {
  const dialect = isLegacy(state) ? ('legacy' as const) : ('cosmos' as const);
  const [first, second] = [await testNode({ dialect }), await testNode({ dialect })];
  second.state.amount = '8';
  const node = serviceOver([first, second], options);
  await node.balances(ADDRESS);
  return { first, second, node };
}

/** All paths except the newest block fail, so that only the call itself shows the state. */
const failsCalls = (response: FakeResponse) => (call: UpstreamCall) =>
  call.path.endsWith('latest') ? undefined : response;

describe.each(STATES)('a node that reports its own state: %s', (state) => {
  const response = responseOf(state);

  test('is passed over for every read', async () => {
    const { first, second, node } = await twoNodes(state);
    first.state.override = failsCalls(response);
    expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: '8' }] });
    expect(await node.account(ADDRESS)).toMatchObject({ result: { value: { sequence: '6' } } });
    second.state.known.set(HASH, { height: '5', txhash: HASH });
    expect(await node.transaction(HASH)).toMatchObject({ height: '5' });
    expect(await node.transactions([['message.sender', ADDRESS]])).toMatchObject({ count: '1' });
    expect(node.warnings().map(warningText)).toEqual([expect.stringMatching(/^node 1: (server_error|rate_limited)$/)]);
  });

  test('is an outage instead of a rejection if no other node can respond', async () => {
    const only = await testNode({ dialect: isLegacy(state) ? 'legacy' : 'cosmos' });
    const node = serviceOver([only], { timeoutMs: SHORT });
    await node.balances(ADDRESS);
    only.state.override = failsCalls(response);
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_unavailable', status: 503 });
  });

  test('is used again within two checks after its state has ended', async () => {
    const clock = createTestClock('2026-05-15T14:00:00Z');
    const { first, node } = await twoNodes(state, { clock });
    first.state.override = failsCalls(response);
    for (let call = 0; call < 20; call++) await node.balances(ADDRESS);
    first.state.override = () => undefined;
    for (const _ of [1, 2]) {
      clock.advance(10_000);
      await node.balances(ADDRESS);
      await expect.poll(() => node.warnings().map(warningText)).toEqual([]);
    }
    expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: first.state.amount }] });
  });
});

test('a node without its gateway for an hour is used again within two checks', async () => {
  const clock = createTestClock('2026-05-15T14:00:00Z');
  const { first, node } = await twoNodes('', { clock });
  first.state.override = () => ({ status: 502, body: '<html>Bad Gateway</html>' });
  for (let check = 0; check < 360; check += 20) {
    clock.advance(200_000);
    await node.balances(ADDRESS);
  }
  await expect.poll(() => node.warnings().length).toBe(1);
  first.state.override = () => undefined;
  for (const _ of [1, 2]) {
    clock.advance(10_000);
    await node.balances(ADDRESS);
  }
  await expect.poll(() => node.warnings()).toEqual([]);
  expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: first.state.amount }] });
});

describe('a height that the client has chosen', () => {
  test.each(['blockPruned', 'stateMissing', 'heightInFuture', 'legacyPruned'] as const)(
    'and that the node lacks is a rejection: %s',
    async (state) => {
      const { first, second, node } = await twoNodes(state);
      first.state.override = failsCalls(responseOf(state));
      const asked = second.asked().length;
      await expect(node.block('7')).rejects.toMatchObject({ code: 'node_rejected', status: 400 });
      expect(second.asked().length).toBe(asked);
      expect(node.warnings()).toEqual([]);
    },
  );

  test.each(['catchingUp', 'limitUnder500', 'limitUnder200'] as const)(
    'does not excuse another state: %s',
    async (state) => {
      const { first, node } = await twoNodes(state);
      first.state.override = failsCalls(responseOf(state));
      expect(await node.block('7')).toMatchObject({ block: { header: { height: '7' } } });
    },
  );
});

describe('an error with status 500 in an unknown wording', () => {
  const unknown: FakeResponse = {
    status: 500,
    body: JSON.stringify({ code: 2, message: 'ABCI disagrees', details: [] }),
  };

  test('is confirmed by another node before it counts as a rejection', async () => {
    const { first, second, node } = await twoNodes('');
    first.state.override = failsCalls(unknown);
    expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: '8' }] });
    second.state.override = failsCalls(unknown);
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'node_rejected', status: 400 });
    await second.close();
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'node_rejected', status: 400 });
  });

  test('does not count against a node', async () => {
    const { first, node } = await twoNodes('');
    first.state.override = failsCalls(unknown);
    await node.balances(ADDRESS);
    expect(node.warnings()).toEqual([]);
  });
});

describe('a broadcast', () => {
  const bytes = { tx_bytes: TX_BYTES, mode: 'sync' } as const;

  test.each(['catchingUp', 'firstBlock', 'limitUnder500', 'limitUnder403', 'limitUnder200', 'limitAsText'] as const)(
    'is sent to the next node if the first has certainly not accepted it: %s',
    async (state) => {
      const { first, second, node } = await twoNodes(state);
      first.state.override = (call) => (isPost(call) ? responseOf(state) : undefined);
      expect(await node.broadcast(bytes)).toMatchObject({ txhash: hash });
      expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 1]);
    },
  );

  test('that finds a full mempool is sent to the next node', async () => {
    const { first, second, node } = await twoNodes('');
    first.state.response = MEMPOOL_IS_FULL;
    expect(await node.broadcast(bytes)).toEqual({ height: '0', txhash: hash, raw_log: '[]' });
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 1]);
    second.state.response = MEMPOOL_IS_FULL;
    expect(await node.broadcast(bytes)).toMatchObject({ txhash: hash, code: 20 });
  });

  test.each(['stateMissing', 'unavailableUnder200'] as const)(
    'is not sent again if the first node may have accepted it: %s',
    async (state) => {
      const { first, second, node } = await twoNodes(state, { timeoutMs: SHORT });
      first.state.override = (call) => (isPost(call) ? responseOf(state) : undefined);
      await expect(node.broadcast(bytes)).rejects.toMatchObject({
        code: 'upstream_timeout',
        members: { txhash: hash },
      });
      expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 0]);
    },
  );

  test('that the first node redirects to another host is sent to the next node', async () => {
    const { first, second, node } = await twoNodes('');
    const headers = { location: 'https://other.example/cosmos/tx/v1beta1/txs' };
    first.state.override = (call) => (isPost(call) ? { status: 308, headers, body: '' } : undefined);
    expect(await node.broadcast(bytes)).toMatchObject({ txhash: hash });
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 1]);
  });
});
