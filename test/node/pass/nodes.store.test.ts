import { describe, expect, test } from 'vitest';
import { txHashOf } from '#cosmos/transactions';
import { base64, transferBytes } from '../../../fixtures/signing.ts';
import { openChain, startChainDouble } from '../../support/upstream/chain-double.ts';
import { cut, hang } from '../../support/upstream/test-node.ts';
import { openOwnStand } from './stand.ts';

const NEW = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';
const MB = 1024 * 1024;
const call = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const QUERY = { path: '/cosmos.staking.v1beta1.Query/Params', data: '' };
const PARAMS = 'cosmos/staking/v1beta1/params';
type Call = { method: string; path: string; body: string };
const isBroadcast = ({ method, path, body }: Call) =>
  method === 'POST' && (path.endsWith('/txs') || body.includes('broadcast_tx'));

async function openTwo(settings: Readonly<Record<string, string>> = {}, comet: '0.37' | '0.38' = '0.38') {
  const chain = openChain();
  const nodes = [await startChainDouble({ chain }), await startChainDouble({ chain, comet })] as const;
  const stand = await openOwnStand({ nodes, settings: { UPSTREAM_TIMEOUT_MS: '1500', ...settings } });
  const tx = async (sequence = 0) => base64(await transferBytes({ chain }, { to: NEW, sequence }));
  return { ...stand, first: nodes[0], second: nodes[1], tx };
}

describe('a node that dies after it received a broadcast', () => {
  test('has accepted it: the client receives the transaction, which is sent once', async () => {
    const { rpc, rest, first, second, tx } = await openTwo();
    await rpc(call('status'));
    const bytes = await tx();
    // The first node has passed the transaction to the network before it died.
    first.state.override = (received, response) => {
      if (!isBroadcast(received)) return undefined;
      void fetch(`${second.restUrl}/cosmos/tx/v1beta1/txs`, {
        method: 'POST',
        body: JSON.stringify({ tx_bytes: bytes, mode: 'BROADCAST_MODE_SYNC' }),
      });
      return cut(received, response);
    };
    const sent = await rpc(call('broadcast_tx_sync', { tx: bytes }, 'one'));
    expect(sent).toMatchObject({
      status: 200,
      body: { id: 'one', result: { code: 0, hash: expect.stringMatching(/^[\dA-F]{64}$/) } },
    });
    expect(first.broadcasts()).toBe(1);
    expect(second.broadcasts()).toBe(1);
    expect(await rest(`cosmos/tx/v1beta1/txs/${sent.body.result.hash}`)).toMatchObject({ status: 200 });
  });

  test('has not passed it on: the error has the hash, and no other node receives it', async () => {
    const { rpc, rest, first, second, tx } = await openTwo();
    await rpc(call('status'));
    first.state.override = (received, response) => (isBroadcast(received) ? cut(received, response) : undefined);
    const bytes = await tx();
    const sent = await rpc(call('broadcast_tx_sync', { tx: bytes }));
    expect(sent).toMatchObject({
      status: 200,
      body: { id: 1, error: { code: -32603, data: expect.stringMatching(/^[\dA-F]{64}$/) } },
    });
    const { data: hash } = sent.body.error as { data: string };
    expect(sent.body.error.message).toContain(hash);
    const bySync = await rest('cosmos/tx/v1beta1/txs', {
      method: 'POST',
      body: JSON.stringify({ tx_bytes: bytes, mode: 'BROADCAST_MODE_SYNC' }),
    });
    expect(bySync).toMatchObject({ status: 504, body: { code: 4, message: expect.stringContaining(hash) } });
    expect([first.broadcasts(), second.broadcasts()]).toEqual([2, 0]);
  });
});

describe('a node that fails', () => {
  test.each([
    ['closes connections', cut],
    ['sends pages', () => ({ status: 200, body: '<html>' })],
    ['sends a status of a proxy', () => ({ status: 502, body: '<html>' })],
    ['limits the rate', () => ({ status: 429, body: '{}' })],
    [
      'limits the rate in JSON-RPC',
      () => ({ body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}' }),
    ],
    [
      'is catching up',
      () => ({
        body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":"node is catching up"}}',
      }),
    ],
    [
      'has no state',
      () => ({
        body: '{"jsonrpc":"2.0","id":1,"result":{"response":{"code":26,"log":"failed to load state at height 7; version does not exist"}}}',
      }),
    ],
  ] as const)('%s: the next node answers', async (_name, override) => {
    const { rpc, first, second } = await openTwo();
    await rpc(call('status'));
    first.state.override = (received, response) =>
      received.body.includes('abci_query') ? override(received as never, response) : undefined;
    expect(await rpc(call('abci_query', QUERY))).toMatchObject({
      status: 200,
      body: { id: 1, result: { response: { code: 0 } } },
    });
    expect(second.asked().length).toBe(1);
  });

  test('with a height that the client has chosen is not at fault', async () => {
    const { rpc, first, second } = await openTwo();
    await rpc(call('status'));
    const error = { code: -32603, message: 'Internal error', data: 'height 7 is not available, lowest height is 100' };
    first.state.override = ({ body }) =>
      body.includes('"block"') ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) } : undefined;
    expect((await rpc(call('block', { height: '7' }))).body).toMatchObject({ id: 1, error });
    expect(second.asked()).toEqual([]);
  });

  test('on a path of the gateway: the next node answers', async () => {
    const { rest, first, second } = await openTwo();
    await rest(PARAMS);
    first.state.override = ({ path }) =>
      path.endsWith('/params') ? { status: 500, body: '{"code":13,"message":"Too many requests"}' } : undefined;
    expect((await rest(PARAMS)).status).toBe(200);
    expect(second.asked().length).toBe(1);
  });

  test('and none is left: 503 with code 14, or −32603 with status 200', async () => {
    const { rest, rpc, first, second } = await openTwo();
    for (const node of [first, second]) node.state.override = cut;
    expect(await rest(PARAMS)).toMatchObject({ status: 503, body: { code: 14, details: [] } });
    expect(await rpc(call('abci_query', QUERY, 'x'))).toMatchObject({
      status: 200,
      body: { id: 'x', error: { code: -32603 } },
    });
  });
});

describe('a response without a bound', () => {
  const endless = (_call: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"jsonrpc":"2.0","id":1,"result":{"text":"`);
    const piece = 'x'.repeat(64 * 1024);
    const more = () => void (response.destroyed || response.write(piece, more));
    more();
    return 'taken' as const;
  };

  test('that never ends, or is too large, is an error, and does not block other calls', async () => {
    const { rpc, rest, first, second } = await openTwo();
    await rpc(call('status'));
    for (const node of [first, second])
      node.state.override = (received, response) =>
        /abci_query|\/supply/.test(received.path + received.body) ? endless(received, response) : undefined;
    for (let i = 0; i < 6; i++) {
      expect(await rpc(call('abci_query', QUERY))).toMatchObject({
        status: 200,
        body: { error: { code: -32603, message: expect.stringContaining('too large') } },
      });
    }
    expect(await rest('cosmos/bank/v1beta1/supply')).toMatchObject({
      status: 502,
      body: { code: 13, message: expect.stringContaining('too large') },
    });
    expect((await rpc(call('status'))).body.result).toBeDefined();
    expect((await rest(PARAMS)).status).toBe(200);
  });

  test('of 3 MB is returned to a search, and not to another call', async () => {
    const { rpc, first, second } = await openTwo();
    await rpc(call('status'));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(3 * MB) } });
    for (const node of [first, second])
      node.state.override = (received) => (/block_results|"tx"/.test(received.body) ? { body } : undefined);
    expect((await rpc(call('block_results', { height: '5' }))).body.result.text).toHaveLength(3 * MB);
    expect((await rpc(call('tx', { hash: Buffer.alloc(32).toString('base64') }))).body.error.code).toBe(-32603);
  });

  test('a batch returns at most 4 MB, and names the calls to send alone', async () => {
    const { rpc, first, second } = await openTwo();
    await rpc(call('status'));
    const result = { text: 'x'.repeat(1.5 * MB) };
    for (const node of [first, second])
      node.state.override = ({ body }) =>
        body.includes('abci_query')
          ? { body: JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }) }
          : undefined;
    const { body } = await rpc([1, 2, 3, 4].map((id) => call('abci_query', QUERY, id)));
    expect(body.filter(({ result }: { result?: object }) => result)).toHaveLength(2);
    const rejected = body.filter(({ error }: { error?: object }) => error);
    for (const { id, error } of rejected)
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining(`call ${id} `) });
  });

  test('that hangs ends with the deadline', async () => {
    const { rpc, rest, first, second } = await openTwo({ UPSTREAM_TIMEOUT_MS: '400' });
    await rpc(call('status'));
    for (const node of [first, second])
      node.state.override = ({ path, body }) => (/abci_query|\/params/.test(path + body) ? hang() : undefined);
    expect((await rpc(call('abci_query', QUERY))).body.error.code).toBe(-32603);
    expect(await rest(PARAMS)).toMatchObject({ status: 504, body: { code: 4 } });
  });
});

describe('the pool', () => {
  test('leaves out a node of another major version', async () => {
    const { rpc, first, second, service } = await openTwo({}, '0.37');
    await rpc(call('status'));
    first.state.override = cut;
    expect((await rpc(call('abci_query', QUERY))).body.error.code).toBe(-32603);
    expect(second.asked()).toEqual([]);
    const ready = await (await service.get('/health/ready')).text();
    expect(ready).toContain('node rpc-2: has another major version (0.37)');
  });

  test('sends a user’s calls to the node that received the user’s last broadcast', async () => {
    const { service, rpc, rest, first, second, tx } = await openTwo();
    const other = await service.register();
    await rpc(call('status'));
    await rest(PARAMS);
    const bytes = await tx();
    const full = { code: 20, codespace: 'sdk', log: '', data: '', hash: await txHashOf(bytes) };
    first.state.override = ({ body }) =>
      body.includes('broadcast_tx') ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: full }) } : undefined;
    expect((await rpc(call('broadcast_tx_sync', { tx: bytes }))).body.result.code).toBe(0);
    expect([first.broadcasts(), second.broadcasts()]).toEqual([1, 1]);
    const asked = () => [first.asked().length, second.asked().length];
    const before = asked() as [number, number];
    await rpc(call('abci_query', QUERY), { as: other });
    expect(asked()).toEqual([before[0] + 1, before[1]]);
    const [toFirst, toSecond] = asked() as [number, number];
    await rpc(call('abci_query', QUERY));
    await rest(PARAMS);
    expect(asked()).toEqual([toFirst, toSecond + 2]);
  });

  test('gives a user four places, for which the calls of batches wait', async () => {
    const { rpc, first, second } = await openTwo();
    await rpc(call('status'));
    let running = 0;
    let most = 0;
    for (const node of [first, second])
      node.state.override = ({ body }, response) => {
        if (!body.includes('abci_query')) return undefined;
        most = Math.max(most, ++running);
        setTimeout(() => {
          running -= 1;
          response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: {} }));
        }, 20);
        return 'taken';
      };
    const batch = Array.from({ length: 20 }, (_, id) => call('abci_query', QUERY, id));
    const all = await Promise.all([rpc(batch), rpc(batch), rpc(batch), rpc(batch)]);
    for (const { body } of all) expect(body.every(({ result }: { result?: object }) => result)).toBe(true);
    expect(most).toBe(4);
    const five = await Promise.all(Array.from({ length: 5 }, () => rpc(batch)));
    const [rejected, ...others] = five.filter(({ status }) => status !== 200);
    expect(others).toEqual([]);
    expect(rejected).toMatchObject({ status: 503, body: { error: { code: -32000 } } });
  });
});
