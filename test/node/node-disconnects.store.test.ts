import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, currentHeaders, ENVELOPE, HASH, type McpService, openMcpService, post } from '../mcp/open.ts';

/** The maximum number of concurrent node calls of a user. */
const CALLS_AT_ONCE = 4;

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await openMcpService({ UPSTREAM_TIMEOUT_MS: '60000' });
  key = await service.createUser();
  await service.get('/v1/node/node_info', { key });
});
afterAll(() => service?.close());
afterEach(() => {
  service.node.state.override = () => undefined;
});

type Send = (signal?: AbortSignal) => Promise<Response>;

const read =
  (path: string): Send =>
  (signal) =>
    fetch(`${service.url}/v1/node${path}`, { headers: { 'x-api-key': key }, ...(signal && { signal }) });

const call =
  (name: string, given: object, isCurrent: boolean): Send =>
  (signal) => {
    const params = { name, arguments: given, ...(isCurrent && { _meta: ENVELOPE }) };
    const headers = isCurrent ? { headers: currentHeaders('tools/call', name) } : {};
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return post(service.url, key, message, { ...headers, ...(signal && { signal }) });
  };

const CASES: [name: string, send: Send][] = [
  ...['/node_info', '/blocks/latest', '/blocks/5', `/bank/balances/${ADDRESS}`, `/auth/accounts/${ADDRESS}`].map(
    (path): [string, Send] => [`GET ${path}`, read(path)],
  ),
  ['GET /txs', read(`/txs?message.sender=${ADDRESS}`)],
  ['GET /txs/{hash}', read(`/txs/${'CD'.repeat(32)}`)],
  ...[false, true].flatMap((isCurrent): [string, Send][] => {
    const revision = isCurrent ? 'the current revision' : 'a revision of 2025';
    return [
      [`get_balances in ${revision}`, call('get_balances', { address: ADDRESS }, isCurrent)],
      [`get_transaction in ${revision}`, call('get_transaction', { hash: 'CD'.repeat(32) }, isCurrent)],
    ];
  }),
];

describe('a disconnect cancels the node call and ends its place', () => {
  it.each(CASES)('%s', async (_, send) => {
    const held: ServerResponse[] = [];
    service.node.state.override = (_call, response) => {
      held.push(response);
      return 'taken';
    };
    const client = new AbortController();
    const calls = Array.from({ length: CALLS_AT_ONCE }, () => send(client.signal));
    const settled = Promise.allSettled(calls);
    await expect.poll(() => held.length).toBe(CALLS_AT_ONCE);
    client.abort();
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
    // The node has not responded to any of them.
    await expect.poll(() => held.filter(({ closed }) => closed).length).toBe(CALLS_AT_ONCE);

    service.node.state.override = () => undefined;
    const responses = await Promise.all(
      Array.from({ length: CALLS_AT_ONCE }, () => read(`/bank/balances/${ADDRESS}`)()),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: CALLS_AT_ONCE }, () => 200));
  });
});

it('cancelled calls do not count against the node, and no error is logged', async () => {
  expect(service.logLines.filter((line) => /internal_error|node call/.test(line))).toEqual([]);
});

it('a known transaction is still returned', async () => {
  const response = await call('get_transaction', { hash: HASH }, true)();
  expect(await response.json()).toMatchObject({ result: { structuredContent: { txhash: HASH } } });
});
