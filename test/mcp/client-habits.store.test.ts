import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, CALLS, currentHeaders, ENVELOPE, HASH, type McpService, openMcpService, post } from './open.ts';

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await openMcpService();
  key = await service.createUser();
});
afterAll(() => service?.close());

type RpcResponse = {
  result?: { isError?: boolean; content: { text: string }[]; structuredContent?: object; tools?: object[] };
  error?: { code: number };
  code?: string;
};

/** Sends a message in a generation of the protocol. `params` is sent as it is, so `_meta` must be in it. */
async function send(message: object, headers: Record<string, string> = {}): Promise<RpcResponse> {
  const response = await post(service.url, key, message, { headers });
  const rpc = (await response.json()) as RpcResponse;
  expect(response.status, JSON.stringify(rpc)).toBe(200);
  return rpc;
}

const GENERATIONS = [
  ['a revision of 2025', {}, () => ({})],
  ['the current revision', ENVELOPE, currentHeaders],
] as const;

describe.each(GENERATIONS)('in %s', (_, envelope, headersOf) => {
  const meta = Object.keys(envelope).length > 0 ? { _meta: envelope } : {};
  const call = (name: string, given: unknown, more: object = {}) =>
    send(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, ...meta, ...more } },
      headersOf('tools/call', name),
    );
  const expectResult = ({ result }: RpcResponse) => {
    expect(result?.isError ?? false, JSON.stringify(result?.content)).toBe(false);
    expect(result?.structuredContent).toMatchObject({ remainingCalls: expect.any(Number) });
  };

  it.each(CALLS)('%s: null equals absent', async (name, given) => {
    const nulls = { currency: null, interval: null, search: null, vs_currency: null, limit: null, anything: null };
    expectResult(await call(name, { ...nulls, ...given }));
  });

  it.each(CALLS.filter(([, given]) => Object.keys(given).length === 0))('%s: no arguments are null', async (name) => {
    expectResult(await call(name, null));
  });

  it.each(CALLS)('%s: arguments as JSON text are read', async (name, given) => {
    expectResult(await call(name, JSON.stringify(given)));
  });

  it('an array as JSON text is read, and any other text is rejected', async () => {
    expectResult(await call('get_latest_prices', { tokenNames: '["btc", "ETH"]' }));
    for (const tokenNames of ['btc', '["btc"', '{"0":"btc"}', '"btc"']) {
      const { result } = await call('get_latest_prices', { tokenNames });
      expect(result?.isError).toBe(true);
      expect(result?.content[0]?.text).toContain('arguments.tokenNames must be an array');
    }
  });

  it('a required argument that is null is missing', async () => {
    const { result } = await call('get_price_on_date', { tokenName: 'btc', date: null });
    expect(result?.content[0]?.text).toMatch(/invalid_request[\s\S]*arguments\.date is missing/);
  });

  it('a text that was sent as a number is read as the text', async () => {
    const { result } = await call('get_price_on_date', { tokenName: 1, date: '2026-01-01' });
    expect(result?.content[0]?.text).toContain('arguments.tokenName must be a supported token');
    expectResult(await call('list_tokens', { search: 1 }));
  });

  it('a date as the time of its midnight is read, and any other time is rejected', async () => {
    for (const date of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00+00:00'])
      expectResult(await call('get_price_on_date', { tokenName: 'btc', date }));
    const { result } = await call('get_price_on_date', { tokenName: 'btc', date: '2026-01-01T13:00:00Z' });
    expect(result?.content[0]?.text).toContain('arguments.date must be a date');
  });

  it.each([
    ['get_price_on_date', { token_name: 'btc', date: '2026-01-01' }, 'tokenName is misspelled'],
    ['get_price_on_date', { tokenname: 'btc', date: '2026-01-01' }, 'tokenName is misspelled'],
    ['get_price_history', { tokenName: 'btc', from_date: '2026-01-01', thru_date: '2026-01-02' }, 'fromDate is'],
    ['get_latest_prices', { token_names: ['btc'] }, 'tokenNames is misspelled'],
  ])('%s: the right name of an argument in another case is given', async (name, given, text) => {
    const { result } = await call(name, given);
    expect(result?.isError).toBe(true);
    expect(result?.content[0]?.text).toContain(text);
  });

  it('unknown members of the message and of params have no effect', async () => {
    const params = { name: 'get_usage', arguments: {}, task: null, extra: { a: 1 }, ...meta };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params, session: 'x', result: null, error: null };
    expectResult(await send(message, headersOf('tools/call', 'get_usage')));
  });

  it.each([0, -1, 2 ** 40, '', '0', 'a-b', '💥'])('the ID %j is returned', async (id) => {
    const message = { jsonrpc: '2.0', id, method: 'tools/list', params: { cursor: null, ...meta } };
    expect(await send(message, headersOf('tools/list'))).toMatchObject({ id, result: { tools: expect.any(Array) } });
  });

  it('params as JSON text are read', async () => {
    const params = JSON.stringify({ name: 'get_transaction', arguments: { hash: HASH }, ...meta });
    expectResult(
      await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headersOf('tools/call', 'get_transaction')),
    );
  });
});

describe('a message', () => {
  it.each(['ping', 'tools/list'])('%s: params that are null are absent', async (method) => {
    expect(await send({ jsonrpc: '2.0', id: 1, method, params: null })).toMatchObject({ result: {} });
    expect(await send({ jsonrpc: '2.0', id: 1, method, params: { _meta: null } })).toMatchObject({ result: {} });
  });

  it('initialize: null members are absent', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: { roots: null, sampling: null },
      clientInfo: { name: 'a', version: '1', title: null },
      _meta: null,
    };
    expect(await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).toMatchObject({
      result: { protocolVersion: '2025-06-18' },
    });
  });

  it.each([undefined, null])('a request with the ID %j is rejected, since no response could name it', async (id) => {
    const response = await post(service.url, key, { jsonrpc: '2.0', id, method: 'tools/list' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ location: 'body.id' }] });
  });

  it.each([undefined, null])('a notification with the ID %j is accepted', async (id) => {
    for (const method of ['notifications/initialized', 'notifications/cancelled']) {
      const message = { jsonrpc: '2.0', id, method, params: method.endsWith('cancelled') ? { requestId: 1 } : null };
      const response = await post(service.url, key, message);
      expect(response.status, await response.text()).toBe(202);
    }
  });

  it('starts with a byte order mark', async () => {
    const response = await post(service.url, key, `\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/list"}`);
    expect(response.status).toBe(200);
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'has the content type %s',
    async (type) => {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      expect((await send(list, { 'content-type': type })).result?.tools).toHaveLength(CALLS.length);
    },
  );

  it.each(['*/*', 'application/json', 'text/event-stream, application/json;q=0.5', 'text/*, application/*'])(
    'accepts %s',
    async (accept) => {
      const response = await post(
        service.url,
        key,
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { headers: { accept } },
      );
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(response.status).toBe(200);
    },
  );

  it.each([
    ['2024-11-05', 200],
    ['2025-03-26', 200],
    ['2025-11-25', 200],
    ['2020-01-01', 400],
    ['x', 400],
  ])('with the revision %s in its header is answered with %i', async (revision, status) => {
    const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
    const response = await post(service.url, key, list, { headers: { 'mcp-protocol-version': revision } });
    expect(response.status).toBe(status);
    if (status === 400)
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  });

  it('of an unknown revision initializes with a known one', async () => {
    const params = { protocolVersion: '2031-01-01', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const rpc = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(rpc.result).toMatchObject({ protocolVersion: expect.stringMatching(/^2025-/) });
  });
});

describe('/mcp/', () => {
  const at = (path: string, init: RequestInit = {}) =>
    fetch(`${service.url}${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...init.headers },
    });
  const latest = { name: 'get_latest_prices', arguments: { tokenNames: ['btc'] } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: latest });

  it('equals /mcp, also in the usage by path', async () => {
    expect((await at('/mcp/', { method: 'POST', body })).status).toBe(200);
    expect((await at('/mcp', { method: 'POST', body })).status).toBe(200);
    await expect
      .poll(async () => (await (await service.get('/v1/user/usage?by=path', { key })).json()).paths)
      .not.toContainEqual(expect.objectContaining({ path: null }));
  });

  it.each(['GET', 'DELETE', 'PUT'])('%s responds with 405 and Allow', async (method) => {
    const response = await at('/mcp/', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

it('an address in upper case is that in lower case, and in mixed case is invalid', async () => {
  const call = (address: string) =>
    send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_balances', arguments: { address } } });
  expect((await call(ADDRESS.toUpperCase())).result?.structuredContent).toMatchObject({ source: 'node' });
  const paths = service.node.calls.map(({ path }) => path);
  expect(paths).toContainEqual(expect.stringContaining(ADDRESS));
  expect(paths).not.toContainEqual(expect.stringContaining(ADDRESS.toUpperCase()));
  expect((await call(ADDRESS.replace('kava', 'KAVA'))).result?.isError).toBe(true);
});
