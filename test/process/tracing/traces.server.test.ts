import { afterAll, beforeAll, expect, it } from 'vitest';
import { LATEST } from '../../support/service/chaos.ts';
import { type CollectedSpan, type Collector, startCollector } from '../../support/upstream/collector.ts';
import { openTracingStand, type TracingStand } from './stand.ts';

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const FAILED = { code: 2 };
/** The span of a caller that traces its requests. */
const CALLER = 'b7ad6b7169203331';
const traceId = (number: number) => String(number).padStart(32, '0');
const traced = (number: number, flags = '01') => ({ traceparent: `00-${traceId(number)}-${CALLER}-${flags}` });

/** Most of them take the fast path. */
const MEMORY_CALLS = 10;
const EMAIL = 'ada@example.org';
const MNEMONIC = 'abandon ability able about above absent';
const ADDRESS = '203.0.113.7';

let stand: TracingStand;
let collector: Collector;
let key: string;
let spans: readonly CollectedSpan[];

const inTrace = (number: number) => spans.filter((span) => span.traceId === traceId(number));
const named = (name: string, among = spans) => among.filter((span) => span.name === name);

/** Each span of a trace after its parent. */
function treeOf(number: number): string[] {
  const own = inTrace(number);
  const nameOf = (id?: string) => (id === CALLER ? 'caller' : own.find(({ spanId }) => spanId === id)?.name);
  return own.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`).sort();
}

beforeAll(async () => {
  stand = await openTracingStand();
  collector = await startCollector();
  const service = await stand.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('http://', 'http://collector:collector-secret@'),
    OTEL_SERVICE_NAME: 'quotes',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRUST_PROXY: '1',
  });
  const { get, post } = service;
  const user = new URLSearchParams({ name: 'Ada Lovelace', email: EMAIL, plan: 'monthly' });
  const created = await post(`/v1/user/create?${user}`, undefined, traced(1));
  ({ apiKey: key } = (await created.json()) as { apiKey: string });
  const mine = (number: number, flags?: string) => ({ 'x-api-key': key, ...traced(number, flags) });

  await get(LATEST, mine(2));
  for (let i = 0; i < MEMORY_CALLS; i++) await get(LATEST, mine(3));
  await get(LATEST, mine(4, '00'));
  await get('/v1/prices/history/days?tokenName=bitcoin&days=30', mine(4, '00'));
  await get('/v1/node/blocks/latest', mine(5));
  stand.sandbox.faults.always({ kind: 'status', status: 500 });
  await get('/v1/prices/latest/token?tokenName=solana', mine(6));
  stand.sandbox.faults.clear();
  await post('/v1/user/recover', JSON.stringify({ email: EMAIL }), traced(7));
  await stand.mailServer.arrivals(1);
  const tool = { name: 'get_usage', arguments: {} };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool });
  await post('/mcp', message, { ...mine(9), accept: 'application/json, text/event-stream' });

  const hostile = {
    ...mine(8),
    tracestate: `vendor=${key}`,
    baggage: `user=${EMAIL}`,
    'x-request-id': EMAIL,
    'x-forwarded-for': ADDRESS,
    'user-agent': key,
  };
  await get(`/v1/user/data?api=${key}`, hostile);
  await get(`${LATEST}&api=${key}`, hostile);
  await get(`${LATEST}&mnemonic=${MNEMONIC.replaceAll(' ', '+')}`, hostile);
  await get(`/nowhere/${key}`, hostile);
  await get(`/v1/node/bank/balances/${key}`, hostile);
  await get(`/v1/node/txs/${MNEMONIC.replaceAll(' ', '%20')}`, hostile);
  await get(`/v1/%zz${key}`, hostile);
  await get(LATEST, { ...hostile, 'x-api-key': `${key}x` });
  await get(LATEST, { ...hostile, traceparent: `00-${key}-${EMAIL}-01` });
  await post('/v1/node/txs', JSON.stringify({ mode: 'sync', mnemonic: MNEMONIC, tx: { msg: [EMAIL] } }), hostile);
  await post('/v1/node/txs', key, hostile);
  expect(await service.stop()).toBe(0);
  spans = collector.spans();
});
afterAll(async () => {
  await stand?.close();
  await collector?.close();
});

it('one trace shows a call that needs a fetch, from the request to the stored price', () => {
  // If the process has just learned of the new user, the call waits for a second lease.
  expect([...new Set(treeOf(2))]).toEqual([
    'GET /v1/prices/latest/token > fetch latest',
    'GET /v1/prices/latest/token > ledger grant',
    'GET /v1/prices/latest/token > ledger open',
    'caller > GET /v1/prices/latest/token',
    'fetch latest > GET coingecko',
    'fetch latest > claim',
    'fetch latest > store',
  ]);
  const facts = inTrace(2).map(({ name, kind, attributes }) => [name, kind, attributes]);
  expect(facts).toContainEqual(['fetch latest', INTERNAL, { 'quotient.resource': 'latest' }]);
  expect(facts).toContainEqual(['claim', INTERNAL, { 'quotient.claimed': true }]);
  expect(facts).toContainEqual(['ledger grant', INTERNAL, { 'quotient.leases': 1 }]);
  expect(facts).toContainEqual([
    'GET coingecko',
    CLIENT,
    {
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'quotient.source': 'coingecko',
      'server.address': '127.0.0.1',
      'url.scheme': 'http',
    },
  ]);
});

it('a response from memory has no fetch, and a trace that its caller does not sample has no span', () => {
  // If the process has just learned of the new user, it has returned the lease, so the call waits for another lease.
  const calls = inTrace(3).filter(({ name }) => !name.startsWith('ledger '));
  expect(calls).toHaveLength(MEMORY_CALLS);
  for (const call of calls) {
    expect(call).toMatchObject({ name: 'GET /v1/prices/latest/token', parentSpanId: CALLER, kind: SERVER });
    expect(call.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/prices/latest/token',
      'url.path': '/v1/prices/latest/token',
      'http.response.status_code': 200,
      'server.address': 'quotient.example.org',
      'url.scheme': 'https',
    });
  }
  expect(inTrace(4)).toEqual([]);
  // Fetches start no traces of their own either.
  expect(spans.filter(({ attributes }) => attributes['quotient.resource']?.toString().startsWith('daily'))).toEqual([]);
});

it('a node call contains the requests to the node', () => {
  const tree = treeOf(5);
  expect(tree).toContain('GET /v1/node/blocks/latest > node call');
  expect(tree).toContain('node call > GET node-1');
  expect(named('node call')[0]?.attributes).toEqual({ 'quotient.source': 'node-1' });
});

it('a failure has its cause, and each retry has its span', () => {
  const attempts = named('GET coingecko', inTrace(6));
  expect(attempts.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1, 2]);
  for (const { status, attributes } of attempts) {
    expect(status).toEqual(FAILED);
    expect(attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': 'server_error' });
  }
  expect(named('GET /v1/prices/latest/token', inTrace(6))).toMatchObject([
    {
      status: FAILED,
      attributes: {
        'http.response.status_code': 503,
        'quotient.problem': 'upstream_unavailable',
        'error.type': 'upstream_unavailable',
      },
    },
  ]);
});

it('the call of a tool has its name', () => {
  expect(named('POST /mcp', inTrace(9))).toMatchObject([{ attributes: { 'gen_ai.tool.name': 'get_usage' } }]);
});

it('deliveries and reports have traces of their own', () => {
  expect(treeOf(7)).toEqual(['caller > POST /v1/user/recover']);
  const [delivery] = named('deliver recover');
  expect(delivery).toMatchObject({ attributes: { 'quotient.message': 'recover', 'quotient.attempts': 1 } });
  const [report] = named('ledger report');
  expect(report).toMatchObject({ attributes: { 'quotient.leases': 1 } });
  for (const span of [delivery, report]) expect(span?.parentSpanId).toBeUndefined();
});

it('upstreams receive no trace context', () => {
  expect(stand.received.length).toBeGreaterThan(8);
  const names = new Set(stand.received.flatMap((headers) => Object.keys(headers)));
  expect([...names].filter((name) => /trace|baggage|b3/.test(name))).toEqual([]);
});

it('no span contains a secret, a query, a path or an address', () => {
  const rejected = inTrace(8).filter(({ kind }) => kind === SERVER);
  expect(rejected).toHaveLength(10);
  expect(new Set(rejected.map(({ attributes }) => attributes['quotient.problem']))).toEqual(
    new Set([undefined, 'secret_in_request', 'api_key_invalid', 'not_found', 'invalid_request']),
  );
  const text = collector.bodies.join('\n');
  const basic = Buffer.from('node:node-secret').toString('base64');
  const own = [key, key.slice(5), EMAIL, encodeURIComponent(EMAIL), 'Ada', 'abandon', 'ability', ADDRESS];
  for (const secret of [...own, ...stand.secrets, 'collector-secret', basic, 'tokenName', 'zz', 'nowhere'])
    expect(text).not.toContain(secret);
  for (const field of ['traceState', '"events":[{', '"links":[{', '"message":"']) expect(text).not.toContain(field);

  expect([...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))].sort()).toEqual([
    'error.type',
    'gen_ai.tool.name',
    'http.request.method',
    'http.request.resend_count',
    'http.response.status_code',
    'http.route',
    'quotient.attempts',
    'quotient.claimed',
    'quotient.leases',
    'quotient.message',
    'quotient.problem',
    'quotient.resource',
    'quotient.source',
    'server.address',
    'url.path',
    'url.scheme',
  ]);
});

it('the standard variables name the service', () => {
  expect(new Set(collector.paths)).toEqual(new Set(['POST /v1/traces']));
  expect(Object.keys(spans[0]?.resource ?? {}).sort()).toEqual([
    'deployment.environment.name',
    'service.instance.id',
    'service.name',
    'service.version',
    'telemetry.sdk.language',
    'telemetry.sdk.name',
    'telemetry.sdk.version',
  ]);
  expect(spans[0]?.resource).toMatchObject({ 'service.name': 'quotes', 'deployment.environment.name': 'test' });
});
