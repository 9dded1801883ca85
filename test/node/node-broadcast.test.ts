import { describe, expect, test } from 'vitest';
import type { Problem } from '#core/problems';
import { txHashOf } from '#cosmos/transactions';
import { cut, deadUrl, hang } from '../support/upstream/test-node.ts';
import { ADDRESS, SHORT, serviceOver, TX_BYTES, testNode } from './node-harness.ts';

const hash = await txHashOf(TX_BYTES);
const bytes = (mode: 'sync' | 'async' | 'block' = 'sync') => ({ tx_bytes: TX_BYTES, mode });
const inBlock = { height: '12', txhash: hash, raw_log: '[]' };
const isPost = ({ method }: { method: string }) => method === 'POST';

describe('a broadcast that the node receives', () => {
  test.each(['sync', 'async'] as const)('in mode %s returns the node’s response', async (mode) => {
    const only = await testNode();
    only.state.response = { height: '0', txhash: hash, raw_log: '[]' };
    expect(await serviceOver([only]).broadcast(bytes(mode))).toEqual({
      height: '0',
      txhash: hash,
      raw_log: '[]',
    });
    const [post] = only.asked().filter(isPost);
    expect(JSON.parse(post?.body ?? '')).toEqual({
      tx_bytes: TX_BYTES,
      mode: `BROADCAST_MODE_${mode.toUpperCase()}`,
    });
  });

  test('and that the chain rejects returns the rejection', async () => {
    const only = await testNode();
    only.state.response = { height: '0', txhash: hash, code: 32, raw_log: 'account sequence mismatch' };
    for (const mode of ['sync', 'block'] as const) {
      expect(await serviceOver([only]).broadcast(bytes(mode))).toMatchObject({ code: 32 });
    }
    expect(only.asked().length).toBe(2);
  });

  test.each(['legacy', 'cosmos'] as const)(
    'in mode block waits until the transaction is in a block: %s',
    async (dialect) => {
      const only = await testNode({ dialect });
      only.state.response = { height: '0', txhash: hash, raw_log: '[]' };
      let looks = 0;
      only.state.override = (call) => {
        if (!isPost(call) && call.path.endsWith(hash) && ++looks === 3) only.state.known.set(hash, inBlock);
        return undefined;
      };
      const request = dialect === 'legacy' ? { tx: { msg: [] }, mode: 'block' as const } : bytes('block');
      const node = serviceOver([only]);
      expect(await node.broadcast(request)).toMatchObject({ height: '12', txhash: hash });
      expect(looks).toBe(3);
      expect(only.broadcasts()).toBe(1);
      expect(await node.transaction(hash)).toMatchObject({ height: '12' });
      expect(looks).toBe(3);
    },
  );

  test('in mode block times out with 504 and the hash if no block includes the transaction', async () => {
    const only = await testNode();
    only.state.response = { height: '0', txhash: hash, raw_log: '[]' };
    await expect(serviceOver([only], { timeoutMs: 200 }).broadcast(bytes('block'))).rejects.toMatchObject({
      code: 'upstream_timeout',
      status: 504,
      members: { txhash: hash },
    });
    expect(only.broadcasts()).toBe(1);
  });
});

describe('a broadcast that the node does not receive', () => {
  test('is sent to the next node if no part of it has been sent', async () => {
    const second = await testNode();
    second.state.response = { height: '0', txhash: hash };
    const node = serviceOver([await deadUrl(), second]);
    expect(await node.broadcast(bytes())).toMatchObject({ txhash: hash });
    expect(second.broadcasts()).toBe(1);
  });

  test('is sent to the next node if the first node’s rate limit is exceeded', async () => {
    const [first, second] = [await testNode(), await testNode()];
    first.state.override = (call) => (isPost(call) ? { status: 429, body: '{}' } : undefined);
    const node = serviceOver([first, second]);
    expect(await node.broadcast(bytes())).toMatchObject({ height: '0' });
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 1]);
  });

  test('is reported as an outage instead of a timeout if no node was ready for it', async () => {
    const only = await testNode();
    only.state.override = hang;
    const problem = await serviceOver([only], { timeoutMs: 200 })
      .broadcast(bytes())
      .catch((error) => error);
    expect(problem).toMatchObject({ code: 'upstream_unavailable', status: 503 });
    expect(only.broadcasts()).toBe(0);
  });

  test('is reported as an outage if no node is available, without a hash', async () => {
    const node = serviceOver([await deadUrl(), await deadUrl()], { dialect: 'cosmos' });
    const problem = (await node.broadcast(bytes()).catch((error) => error)) as Problem;
    expect(problem).toMatchObject({ code: 'upstream_unavailable', status: 503 });
    expect(problem.members).not.toHaveProperty('txhash');
  });
});

describe('a broadcast without a response', () => {
  test('is looked up, and not sent again', async () => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second]);
    await node.balances(ADDRESS);
    first.state.override = (call, response) => (isPost(call) ? cut(call, response) : undefined);
    first.state.known.set(hash, inBlock);
    second.state.known.set(hash, inBlock);
    expect(await node.broadcast(bytes())).toMatchObject(inBlock);
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 0]);
  });

  test.each([
    ['from a closed connection', cut],
    ['from a hanging node', hang],
    ['with an HTML page', () => ({ status: 502, body: '<html>' })],
    ['with a malformed response', () => ({ status: 200, body: '{"tx_response":{}}' })],
  ] as const)('%s, and not found, is 504 with its hash', async (_name, override) => {
    const [first, second] = [await testNode(), await testNode()];
    const node = serviceOver([first, second], { timeoutMs: SHORT });
    await node.balances(ADDRESS);
    first.state.override = (call, response) => (isPost(call) ? override(call, response) : undefined);
    const problem = (await node.broadcast(bytes()).catch((error) => error)) as Problem;
    expect(problem).toMatchObject({ code: 'upstream_timeout', status: 504, members: { txhash: hash } });
    expect(problem.headers).not.toHaveProperty('retry-after');
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 0]);
  });

  test('of amino JSON is 504 without a hash, which cannot be computed', async () => {
    const only = await testNode({ dialect: 'legacy' });
    only.state.override = (call, response) => (isPost(call) ? cut(call, response) : undefined);
    const problem = (await serviceOver([only])
      .broadcast({ tx: { msg: [] }, mode: 'sync' })
      .catch((error) => error)) as Problem;
    expect(problem).toMatchObject({ code: 'upstream_timeout', status: 504, members: {} });
    expect(problem.members).not.toHaveProperty('txhash');
    expect(problem.message).toContain('hash cannot be computed');
    expect(only.broadcasts()).toBe(1);
  });
});

describe('an invalid response of a node', () => {
  const other = 'CD'.repeat(32);

  test('with another hash does not determine the outcome of the transaction', async () => {
    const only = await testNode();
    only.state.response = { height: '12', txhash: other };
    await expect(serviceOver([only], { timeoutMs: SHORT }).broadcast(bytes())).rejects.toMatchObject({
      code: 'upstream_timeout',
      members: { txhash: hash },
    });
    only.state.known.set(hash, inBlock);
    expect(await serviceOver([only]).broadcast(bytes())).toMatchObject(inBlock);
    expect(only.broadcasts()).toBe(2);
  });

  test.each(['legacy', 'cosmos'] as const)('with a wrong block is not cached: %s', async (dialect) => {
    const only = await testNode({ dialect });
    const txhash = dialect === 'legacy' ? other : hash;
    only.state.response = { height: '12', txhash };
    const node = serviceOver([only]);
    await node.broadcast(dialect === 'legacy' ? { tx: { msg: [] }, mode: 'sync' } : bytes());
    await expect(node.transaction(txhash)).rejects.toMatchObject({ code: 'node_rejected', status: 404 });
  });

  test('to the look-up does not reject the transaction', async () => {
    const only = await testNode();
    const node = serviceOver([only], { timeoutMs: SHORT });
    await node.balances(ADDRESS);
    const body = JSON.stringify({ code: 3, message: 'height 12 is not available', details: [] });
    only.state.override = (call, response) => (isPost(call) ? cut(call, response) : { status: 400, body });
    await expect(node.broadcast(bytes())).rejects.toMatchObject({
      code: 'upstream_timeout',
      members: { txhash: hash },
    });
    expect(only.broadcasts()).toBe(1);
  });
});

describe('a transaction that the node already has', () => {
  const cached = { height: '0', txhash: hash, code: 19, raw_log: 'tx already in mempool' };

  test('is a success if a look-up finds it', async () => {
    const only = await testNode();
    only.state.response = cached;
    only.state.known.set(hash, inBlock);
    expect(await serviceOver([only]).broadcast(bytes())).toMatchObject(inBlock);
  });

  test('is what the node reported if no look-up finds it', async () => {
    const only = await testNode();
    only.state.response = cached;
    expect(await serviceOver([only]).broadcast(bytes())).toMatchObject(cached);
    expect(await serviceOver([only], { timeoutMs: 200 }).broadcast(bytes('block'))).toMatchObject(cached);
    expect(only.broadcasts()).toBe(2);
  });

  test('is confirmed even if the node reports it as an error', async () => {
    const only = await testNode();
    const body = JSON.stringify({ code: 2, message: 'tx already exists in cache', details: [] });
    only.state.override = (call) => (isPost(call) ? { status: 500, body } : undefined);
    const node = serviceOver([only]);
    await expect(node.broadcast(bytes())).rejects.toMatchObject({
      code: 'node_rejected',
      status: 400,
      members: { error: 'tx already exists in cache' },
    });
    only.state.known.set(hash, inBlock);
    expect(await node.broadcast(bytes())).toMatchObject(inBlock);
  });
});
