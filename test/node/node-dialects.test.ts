import { describe, expect, test } from 'vitest';
import { ADDRESS, HASH, serviceOver, testNode } from './node-harness.ts';

describe('the dialect of a node', () => {
  test.each(['legacy', 'cosmos'] as const)('%s is detected and remembered', async (dialect) => {
    const only = await testNode({ dialect });
    const node = serviceOver([only]);
    const balances = { height: '1000', result: [{ denom: 'ukava', amount: '7' }] };
    expect(await node.balances(ADDRESS)).toEqual(balances);
    const calls = only.calls.length;
    only.state.known.set(HASH, { height: '5', txhash: HASH });
    expect(await node.transaction(HASH)).toMatchObject({ height: '5', txhash: HASH });
    expect(only.calls.length).toBe(calls + 1);
    expect(node.lines).toEqual([{ node: 1, dialect, message: 'node dialect detected' }]);
  });

  test('is detected again if the node no longer supports the paths', async () => {
    const only = await testNode({ dialect: 'legacy' });
    const node = serviceOver([only]);
    await node.balances(ADDRESS);
    only.state.dialect = 'cosmos';
    only.state.amount = '8';
    expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: '8' }] });
    only.state.dialect = 'legacy';
    expect(await node.balances(ADDRESS)).toMatchObject({ height: '1000' });
    expect(node.lines).toMatchObject([{ dialect: 'legacy' }, { dialect: 'cosmos' }, { dialect: 'legacy' }]);
  });

  test('is not verified if it is configured', async () => {
    const only = await testNode({ dialect: 'cosmos' });
    const node = serviceOver([only], { dialect: 'legacy' });
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_invalid', status: 502 });
    expect(only.calls.map(({ path }) => path)).toEqual([`/bank/balances/${ADDRESS}`]);
  });

  test('can differ between nodes', async () => {
    const [first, second] = [await testNode({ dialect: 'legacy' }), await testNode({ dialect: 'cosmos' })];
    const node = serviceOver([first, second]);
    await node.balances(ADDRESS);
    await first.close();
    expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: '7' }] });
    expect(second.asked().length).toBeGreaterThan(0);
  });

  test('a server that is not a node is reported as malformed', async () => {
    const only = await testNode();
    only.state.override = () => ({ status: 404, body: 'no such page' });
    await expect(serviceOver([only]).balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_invalid' });
  });
});

describe('a broadcast depends on the dialect', () => {
  test('a broadcast is sent to the node that supports its format, if both dialects are available', async () => {
    const modern = await testNode({ dialect: 'cosmos' });
    const legacy = await testNode({ dialect: 'legacy' });
    const node = serviceOver([modern, legacy]);
    await node.broadcast({ tx: { msg: [] }, mode: 'sync' });
    expect([modern.broadcasts(), legacy.broadcasts()]).toEqual([0, 1]);
    await node.broadcast({ tx_bytes: 'CpAB', mode: 'sync' });
    expect([modern.broadcasts(), legacy.broadcasts()]).toEqual([1, 1]);
  });

  test('a node that has changed its dialect receives the broadcast once the dialect is detected', async () => {
    const only = await testNode({ dialect: 'legacy' });
    const node = serviceOver([only]);
    await node.balances(ADDRESS);
    only.state.dialect = 'cosmos';
    await expect(node.broadcast({ tx: {}, mode: 'sync' })).rejects.toMatchObject({ status: 422 });
    expect(await node.broadcast({ tx_bytes: 'CpAB', mode: 'sync' })).toMatchObject({ height: '0' });
  });
});
