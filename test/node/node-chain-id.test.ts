import { describe, expect, test } from 'vitest';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../fixtures/clock.ts';
import { hang } from '../support/upstream/test-node.ts';
import { ADDRESS, SHORT, serviceOver, TX_BYTES, testNode } from './node-harness.ts';

const amount = (node: { amount: string }) => ({ result: [{ denom: 'ukava', amount: node.amount }] });

/** A node of a chain, with a balance that identifies it. */
async function nodeOf(chainId: string, own: string, options = {}) {
  const node = await testNode(options);
  Object.assign(node.state, { chainId, amount: own });
  return node;
}

describe('nodes of several chains', () => {
  test('a node of another chain than the first node’s is never called, even if it has more blocks, and is reported', async () => {
    const [first, other] = [await nodeOf('kava-3', '7'), await nodeOf('osmosis-1', '8', { height: 9_000_000 })];
    const clock = createTestClock('2026-05-15T14:42:25Z');
    const node = serviceOver([first, other], { clock });
    for (let i = 0; i < 3; i++) {
      expect(await node.balances(ADDRESS)).toMatchObject(amount(first.state));
      clock.advance(10_000);
    }
    await node.broadcast({ tx_bytes: TX_BYTES, mode: 'sync' });
    expect(other.asked()).toEqual([]);
    expect(node.warnings().map(warningText)).toEqual(['node 2: on another chain (osmosis-1)']);
    expect(node.lines).toContainEqual(expect.objectContaining({ node: 2, chainId: 'osmosis-1', wanted: 'kava-3' }));
  });

  test('a node of another chain is not called even if all nodes of the chain are down', async () => {
    const [first, other] = [await nodeOf('kava-3', '7'), await nodeOf('osmosis-1', '8')];
    const node = serviceOver([first, other]);
    await node.balances(ADDRESS);
    first.state.override = () => ({ status: 503, body: 'gone' });
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await expect(node.broadcast({ tx_bytes: TX_BYTES, mode: 'sync' })).rejects.toMatchObject({ status: 504 });
    expect(other.asked()).toEqual([]);
  });

  test('nothing is accepted from a node that has not reported its chain', async () => {
    const clock = createTestClock('2026-05-15T14:42:25Z');
    const [first, other] = [await nodeOf('kava-3', '7'), await nodeOf('osmosis-1', '8')];
    // The first node reports its chain. The other node does not respond until another request.
    let silent = true;
    other.state.override = () => (silent ? hang() : undefined);
    const node = serviceOver([first, other], { timeoutMs: SHORT, dialect: 'cosmos', clock });
    await node.balances(ADDRESS);
    silent = false;
    first.state.override = () => ({ status: 503, body: 'gone' });
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ status: 503 });
    expect(other.asked()).toEqual([]);
    expect(node.warnings().map(warningText)).toContain('node 2: on another chain (osmosis-1)');
  });

  test('NODE_CHAIN_ID selects the chain, even for a single node', async () => {
    const [first, second] = [await nodeOf('osmosis-1', '8'), await nodeOf('kava-3', '7')];
    const both = serviceOver([first, second], { chainId: 'kava-3' });
    expect(await both.balances(ADDRESS)).toMatchObject(amount(second.state));
    expect(both.warnings().map(warningText)).toEqual(['node 1: on another chain (osmosis-1)']);
    const alone = serviceOver([first], { chainId: 'kava-3' });
    await expect(alone.balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(alone.warnings().map(warningText)).toEqual(['node 1: on another chain (osmosis-1)']);
    expect(first.asked()).toEqual([]);
  });

  test('a node that changes to another chain is excluded after its next check, and included when it returns', async () => {
    const clock = createTestClock('2026-05-15T14:42:25Z');
    const [first, second] = [await nodeOf('kava-3', '7'), await nodeOf('kava-3', '8')];
    const node = serviceOver([first, second], { clock });
    await node.balances(ADDRESS);
    second.state.chainId = 'kava-4';
    clock.advance(10_000);
    await node.balances(ADDRESS);
    await expect.poll(() => node.warnings().map(warningText)).toEqual(['node 2: on another chain (kava-4)']);
    second.state.chainId = 'kava-3';
    clock.advance(10_000);
    await node.balances(ADDRESS);
    await expect.poll(() => node.warnings().map(warningText)).toEqual([]);
  });

  test('a node’s chain and block must match', async () => {
    const [first, second] = [await nodeOf('kava-3', '7'), await nodeOf('kava-3', '8')];
    const node = serviceOver([first, second]);
    await node.balances(ADDRESS);
    first.state.chainId = 'osmosis-1';
    expect((await node.nodeInfo()).node_info.network).toBe('kava-3');
    expect((await node.block('5')).block.header.chain_id).toBe('kava-3');
  });
});
