import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENVELOPE, type McpService, openMcpService, post } from './open.ts';

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await openMcpService({ CORS_ORIGINS: 'https://app.example', PUBLIC_URL: 'https://quotient.example' });
  key = await service.createUser();
});
afterAll(() => service?.close());

const call = (params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const LEGACY = { 'mcp-protocol-version': '2025-06-18' };
const WRONG: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  [],
  [[]],
  {},
  '__proto__',
  'constructor',
  '\u0000',
  '💥',
  { a: { b: [] } },
];
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '../etc',
  'list_tokens\u0000',
  'LIST_TOKENS',
  'x'.repeat(5000),
];
const METHODS = [
  '',
  'tools',
  'tools/call',
  'tools/list',
  'rpc.discover',
  'subscriptions/listen',
  'server/discover',
  '__proto__',
  'ping',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'initialize',
  'notifications/cancelled',
  'tasks/get',
];
const TOOLS = [
  'list_tokens',
  'get_latest_prices',
  'get_price_on_date',
  'get_price_history',
  'get_candles',
  'get_chain_statistics',
  'get_usage',
  'get_balances',
  'get_transaction',
];
const ARGUMENTS = [
  'tokenNames',
  'tokenName',
  'date',
  'fromDate',
  'thruDate',
  'interval',
  'currency',
  'token',
  'address',
  'hash',
  'search',
  '__proto__',
  'constructor',
];

/** A thousand bodies, as texts. */
const BODIES: string[] = [
  ...['', ' ', '{', '[', ']', 'null', '1', '"x"', 'true', '[]', '{}', '\u0000', '{"jsonrpc":"2.0"', '\ufeff{}', 'NaN'],
  ...[
    nested(50, '[', ']'),
    nested(100, '[', ']'),
    nested(8000, '[', ']'),
    nested(5000, '{"a":', '}'),
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested(60, '{"a":', '').concat('1', '}'.repeat(60))}}`,
  ],
  ...[1, 2, 50, 200].map((length) =>
    JSON.stringify(Array.from({ length }, (_, i) => call({ name: 'get_usage', arguments: {} }, i))),
  ),
  JSON.stringify({ ...call({ name: 'get_usage' }), a: Array.from({ length: 8000 }, () => 0) }),
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list","method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage","arguments":{"__proto__":{"a":1},"constructor":{"prototype":1}}}}',
  '{"__proto__":{"jsonrpc":"2.0"},"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  ...[...WRONG, 'i'.repeat(30_000), 2 ** 53, -(2 ** 53), 0.5, 1e300].map((id) =>
    JSON.stringify(call({ name: 'get_usage', arguments: {} }, id)),
  ),
  ...WRONG.map((jsonrpc) => JSON.stringify({ jsonrpc, id: 1, method: 'tools/list' })),
  ...WRONG.flatMap((value) => [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: value }),
    JSON.stringify(call(value)),
    JSON.stringify(call({ name: value })),
    JSON.stringify(call({ name: 'get_usage', arguments: value })),
    JSON.stringify(call({ name: 'get_usage', _meta: value })),
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: value }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: value }),
  ]),
  ...NAMES.map((name) => JSON.stringify(call({ name, arguments: {} }))),
  ...METHODS.flatMap((method) =>
    WRONG.flatMap((params) => [
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      JSON.stringify({ jsonrpc: '2.0', method, params }),
    ]),
  ),
  ...METHODS.map((method) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: ENVELOPE } })),
  ...TOOLS.flatMap((name) =>
    ARGUMENTS.flatMap((argument) =>
      WRONG.slice(0, 3).map((value) => JSON.stringify(call({ name, arguments: { [argument]: value } }))),
    ),
  ),
].slice(0, 1000);

describe('hostile bodies', () => {
  it('a thousand bodies respond with 4xx or with JSON-RPC, never with 500, in bounded time', {
    timeout: 120_000,
  }, async () => {
    expect(BODIES).toHaveLength(1000);
    const statuses = new Map<number, number>();
    const headers: Record<string, string>[] = [
      {},
      LEGACY,
      { 'mcp-protocol-version': '2026-07-28' },
      { 'mcp-protocol-version': 'x'.repeat(100) },
      { 'mcp-method': 'ping' },
    ];
    for (let i = 0; i < BODIES.length; i += 4) {
      await Promise.all(
        BODIES.slice(i, i + 4).map(async (body, j) => {
          const signal = AbortSignal.timeout(10_000);
          const response = await post(service.url, key, body, { headers: headers[(i + j) % 5] ?? {}, signal });
          const text = await response.text();
          const about = `${response.status} ${body.slice(0, 200)} ${text.slice(0, 300)}`;
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          expect(response.status < 500 || response.status === 503, about).toBe(true);
          if (response.status === 200) expect(JSON.parse(text), about).toMatchObject({ jsonrpc: '2.0' });
          else if (response.status !== 202)
            expect(JSON.parse(text), about).toSatisfy((it: object) => 'code' in it || 'error' in it);
        }),
      );
    }
    expect([...statuses.keys()].sort()).toEqual([200, 202, 400, 404].filter((status) => statuses.has(status)));
    expect(service.logLines.filter((line) => line.includes('internal_error'))).toEqual([]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('a message over 32 KB is rejected', async () => {
    const response = await post(service.url, key, call({ name: 'get_usage', arguments: { a: 'x'.repeat(33_000) } }));
    expect(response.status).toBe(413);
  });

  it('a subscription is refused, and opens no stream', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: {}, _meta: ENVELOPE },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const response = await post(service.url, key, message, { headers });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: expect.any(String) },
    });
    const unknown = await post(
      service.url,
      key,
      { ...message, method: 'unknown/method' },
      { headers: { ...headers, 'mcp-method': 'unknown/method' } },
    );
    expect([response.status, ((await unknown.json()) as { error: object }).error]).toMatchObject([
      unknown.status,
      { code: -32601 },
    ]);
  });

  it('no key appears in a response', async () => {
    const leaked = `qt_${'A'.repeat(38)}`;
    for (const body of [
      call({ name: leaked }),
      call({ name: 'get_usage' }, leaked),
      { jsonrpc: '2.0', id: 1, method: leaked },
    ]) {
      const response = await post(service.url, key, body, { headers: { 'mcp-protocol-version': leaked } });
      expect(await response.text()).not.toContain(leaked);
    }
  });
});

describe('the route', () => {
  const send = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/mcp`, { method, headers: { 'x-api-key': key, ...headers } });

  it.each(['GET', 'DELETE', 'PUT'])('%s responds with 405 and Allow', async (method) => {
    const response = await send(method, { accept: 'text/event-stream' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://quotient.example', 403],
    ['https://app.example', 200],
    ['https://quotient.example', 200],
  ])('Origin %s responds with %i', async (origin, status) => {
    const response = await post(
      service.url,
      key,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { headers: { origin } },
    );
    expect(response.status).toBe(status);
    if (status === 403) expect(await response.json()).toMatchObject({ code: 'cross_site' });
  });

  it('the origin of the service itself is accepted', async () => {
    const { origin } = new URL(service.url);
    const response = await post(
      service.url,
      key,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { headers: { origin } },
    );
    expect(response.status).toBe(200);
  });

  it('requires a key, in a header', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(await (await post(service.url, undefined, message)).json()).toMatchObject({ code: 'api_key_missing' });
    const inQuery = await fetch(`${service.url}/mcp?api=${key}`, { method: 'POST', body: JSON.stringify(message) });
    expect(inQuery.status).toBe(401);
    const [expired, revoked] = [
      await service.createUser({ validUntil: 1 }),
      await service.createUser({ revokedAt: new Date() }),
    ];
    expect(await (await post(service.url, expired, message)).json()).toMatchObject({ code: 'api_key_expired' });
    expect(await (await post(service.url, revoked, message)).json()).toMatchObject({ code: 'api_key_revoked' });
  });

  it('counts toward the burst limit', async () => {
    const limited = await openMcpService({ BURST_PER_SECOND: '2' });
    const apiKey = await limited.createUser();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const response = await post(limited.url, apiKey, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      statuses.push(response.status);
      if (response.status === 429) expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(statuses).toContain(429);
    await limited.close();
  });
});
