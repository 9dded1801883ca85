import { describe, expect, test } from 'vitest';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../fixtures/clock.ts';
import { cut, deadUrl, hang } from '../support/upstream/test-node.ts';
import { ADDRESS, HASH, SHORT, serviceOver, testNode } from './node-harness.ts';

const amount = (node: { amount: string }) => ({ result: [{ denom: 'ukava', amount: node.amount }] });

describe('a read', () => {
  test('is sent to the first available node', async () => {
    const [first, second] = [await testNode(), await testNode()];
    second.state.amount = '8';
    const node = serviceOver([await deadUrl(), first, second]);
    expect(await node.balances(ADDRESS)).toMatchObject(amount(first.state));
    expect(second.asked()).toEqual([]);
    expect(node.warnings().map(warningText)).toEqual(['node 1: unreachable']);
  });

  test('leaves time for the next node if a node hangs', async () => {
    const [first, second] = [await testNode(), await testNode()];
    first.state.override = hang;
    const node = serviceOver([first, second], { timeoutMs: SHORT, dialect: 'cosmos' });
    expect(await node.balances(ADDRESS)).toMatchObject(amount(second.state));
  });

  test('leaves time for the next node if a node suddenly hangs', async () => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second], { timeoutMs: SHORT });
    await node.balances(ADDRESS);
    expect(second.asked()).toEqual([]);
    first.state.override = hang;
    expect(await node.balances(ADDRESS)).toMatchObject(amount(second.state));
    // The node is now known to hang, so it is not called first.
    const calls = first.calls.length;
    expect(await node.balances(ADDRESS)).toMatchObject(amount(second.state));
    expect(first.calls.length).toBe(calls);
    expect(node.warnings().map(warningText)).toEqual(['node 1: timeout']);
  });

  test.each([
    ['an HTML page', { status: 200, body: '<html>' }, 'not_json'],
    ['a proxy without its node', { status: 502, body: '<html>' }, 'server_error'],
    ['malformed', { status: 200, body: '{"balances":"many"}' }, 'unexpected'],
    ['a rate limit', { status: 429, body: '{}' }, 'rate_limited'],
  ])('continues with the next node after %s', async (_name, response, reason) => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second]);
    await node.balances(ADDRESS);
    first.state.override = () => response;
    expect(await node.balances(ADDRESS)).toMatchObject(amount(second.state));
    expect(node.warnings().map(warningText)).toEqual([`node 1: ${reason}`]);
  });

  test('is repeated once if the only node closed the connection', async () => {
    const only = await testNode();
    const node = serviceOver([only]);
    await node.balances(ADDRESS);
    let broken = 1;
    only.state.override = (call, response) => (broken-- > 0 ? cut(call, response) : undefined);
    expect(await node.balances(ADDRESS)).toMatchObject(amount(only.state));
    expect(node.warnings().map(warningText)).toEqual([]);
  });

  test('is not sent to another node if one node rejects it', async () => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second]);
    await expect(node.transaction(HASH)).rejects.toMatchObject({
      code: 'node_rejected',
      status: 404,
      members: { error: `tx not found: ${HASH}` },
    });
    expect(second.asked()).toEqual([]);
  });
});

test('slow searches do not delay other calls', async () => {
  const only = await testNode();
  const node = serviceOver([only], { timeoutMs: 200 });
  await node.balances(ADDRESS);
  only.state.override = ({ path }) => (path.endsWith('/txs') ? hang() : undefined);
  // More searches than connections, and more than the failures that open a circuit breaker.
  const searches = Array.from({ length: 20 }, () => node.transactions([['tx.minheight', '0']]));
  expect(await node.balances(ADDRESS)).toMatchObject(amount(only.state));
  const received = await Promise.allSettled(searches);
  expect(new Set(received.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(await node.balances(ADDRESS)).toMatchObject(amount(only.state));
});

describe('an oversized response does not count against a node, and the next one is called', () => {
  const nested = `{"balances":[],"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  const coins = JSON.stringify({ balances: Array(200_000).fill({ denom: 'ukava', amount: '1' }) });
  test.each([
    ['deep', nested],
    ['long', coins],
    ['large', `"${'x'.repeat(17 * 1024 * 1024)}"`],
    ['of too many values', `[${'{},'.repeat(600_000)}{}]`],
  ])('%s', async (_name, body) => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second]);
    await node.balances(ADDRESS);
    first.state.override = () => ({ body });
    expect(await node.balances(ADDRESS)).toMatchObject(amount(second.state));
    expect(node.warnings().map(warningText)).toEqual([]);
  });
});

describe('if no node can respond', () => {
  test.each([
    ['upstream_unavailable', 503, undefined],
    ['upstream_timeout', 504, hang],
    ['upstream_invalid', 502, () => ({ status: 200, body: 'malformed' })],
  ] as const)('%s', async (code, status, override) => {
    const node = await testNode();
    if (override) node.state.override = override;
    const over = override ? [node] : [await deadUrl(), await deadUrl()];
    const service = serviceOver(over, { timeoutMs: SHORT });
    await expect(service.balances(ADDRESS)).rejects.toMatchObject({ code, status });
  });

  test('node_not_configured, without a call', async () => {
    const node = serviceOver([]);
    const problem = { code: 'node_not_configured', status: 503, headers: { 'retry-after': '3600' } };
    await expect(node.balances(ADDRESS)).rejects.toMatchObject(problem);
    await expect(node.transaction(HASH)).rejects.toMatchObject(problem);
    await expect(node.transactions([['tx.height', '1']])).rejects.toMatchObject(problem);
    await expect(node.broadcast({ tx: {}, mode: 'sync' })).rejects.toMatchObject(problem);
  });
});

describe('a node that lags', () => {
  test('by more than 50 blocks is skipped, and used again when it has caught up', async () => {
    const clock = createTestClock('2026-05-15T14:00:00Z');
    const [first, second] = [await testNode({ height: 949 }), await testNode({ height: 1000 })];
    const node = serviceOver([first, second], { clock });
    await node.balances(ADDRESS);
    expect([first.asked().length, second.asked().length]).toEqual([0, 1]);
    expect(node.warnings().map(warningText)).toEqual(['node 1: 51 blocks behind']);

    // The heights are checked again after ten seconds, in the background of a call.
    const checks = first.calls.length;
    first.state.height = 950;
    clock.advance(9_999);
    await node.balances(ADDRESS);
    expect(first.calls.length).toBe(checks);
    clock.advance(1);
    await node.balances(ADDRESS);
    await expect.poll(() => node.warnings().map(warningText)).toEqual([]);
    await node.balances(ADDRESS);
    expect([first.asked().length, second.asked().length]).toEqual([1, 3]);
  });

  test('is called after all if the most advanced node returns only its height', async () => {
    const [first, second, liar] = [await testNode(), await testNode(), await testNode({ height: 9e15 })];
    liar.state.override = ({ path }) => (path.endsWith('latest') ? undefined : { status: 200, body: '{}' });
    const node = serviceOver([first, second, liar]);
    for (let call = 0; call < 3; call++) {
      expect(await node.balances(ADDRESS)).toMatchObject(amount(first.state));
    }
    expect(second.asked()).toEqual([]);
  });

  test('is used once the most advanced node is unavailable', async () => {
    const clock = createTestClock('2026-05-15T14:00:00Z');
    const [first, second] = [await testNode({ height: 10 }), await testNode({ height: 1000 })];
    const node = serviceOver([first, second], { clock });
    await node.balances(ADDRESS);
    await second.close();
    clock.advance(10_000);
    await expect.poll(() => node.balances(ADDRESS).catch(() => undefined)).toMatchObject(amount(first.state));
  });
});
