import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '#server/request-metrics';
import { createTestClock } from '../../fixtures/clock.ts';
import { openTestDatabase } from '../support/database/database.ts';
import { LATEST } from '../support/service/chaos.ts';
import { METRICS_ON, openScrape, requestsOf, type Scrape, seriesOf } from '../support/service/metrics.ts';
import { type Service, startService } from '../support/service/service.ts';
import { exchange, openConnection } from '../support/service/socket.ts';

const TOKEN = '/v1/prices/latest/token';
const clock = createTestClock('2026-05-15T14:10:06Z');
let service: Service;
let scrape: Scrape;
beforeAll(async () => {
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: {
      ...METRICS_ON,
      COINGECKO_PLAN: 'demo',
      BURST_PER_SECOND: '0',
      REGISTRATIONS_PER_MINUTE: '0',
      CORS_ORIGINS: 'https://app.example.org',
    },
  });
  scrape = await openScrape(service);
});
afterAll(async () => {
  await scrape?.close();
  await service?.close();
});

const wire = (head: string, key = '') =>
  exchange(service.url, `${head} HTTP/1.1\r\nHost: x\r\n${key && `X-Api-Key: ${key}\r\n`}\r\n`);

/** The counts that changed during an action. */
async function countedWhile(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = requestsOf(await scrape.series());
  await work();
  const after = Object.entries(requestsOf(await scrape.series()));
  const grown = after.map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count !== 0));
}

test('calls are reported as leased, settled and returned', async () => {
  const gone = '/v1/prices/history/date?tokenName=solana&date=01-01-2015';
  // The statistics are fetched now. Otherwise, a settlement between the charge of the rejected call and its refund
  // would settle both.
  await service.get(gone, { key: await service.createUser({ limit: 100 }) });
  const key = await service.createUser({ limit: 100 });
  // Reads the new users. A later poll would return the leases of users whom it sees for the first time.
  await service.parts.allowance.poll();
  await service.parts.allowance.settle();
  const before = await scrape.series();
  for (let i = 0; i < 7; i++) await service.get(LATEST, { key });
  expect((await service.get(gone, { key })).status).toBe(404);
  await service.parts.allowance.settle();
  const after = await scrape.series();
  const grew = (name: string) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? Number.NaN);
  expect(grew('quotient_calls_settled_total')).toBe(7);
  expect(grew('quotient_calls_refunded_total')).toBe(1);
  // The first user has called recently, so the lease may have been granted calls again.
  expect(grew('quotient_leases_open')).toBeGreaterThanOrEqual(1);
  expect(grew('quotient_leases_granted_calls') - grew('quotient_leases_unspent_calls')).toBe(7);
  expect(after.get('quotient_leases_unsettled_calls')).toBe(0);
  expect(grew('quotient_ledger_statements_total')).toBeGreaterThan(0);
  expect(after.get('quotient_database_up')).toBe(1);
  expect(after.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('each response is counted once, by the pattern of its route, on every response path', async () => {
  const key = await service.register();
  const poor = await service.createUser({ limit: 1 });
  const etag = (await service.get(LATEST, { key })).headers.get('etag') ?? '';

  const counted = await countedWhile(async () => {
    // The clock does not advance, so the fast path sends all but the first response.
    for (let i = 0; i < 20; i++) await service.get(LATEST, { key });
    await service.get(LATEST, { key, headers: { 'if-none-match': etag } });
    await service.get(LATEST);
    await service.get(LATEST, { key: 'qt_wrong' });
    await service.get(LATEST, { key: poor });
    await service.get(LATEST, { key: poor });
    await service.get(TOKEN, { key });
    await service.get(`${LATEST}&mnemonic=abandon`, { key });
    await service.get('/v1/prices/history/days?tokenName=bitcoin&days=30', { key });
    await service.get('/v1/node/txs/ABCDEF', { key });
    await service.get('/nowhere');
    await service.get('/nowhere/else?x=1');
    await fetch(`${service.url}${TOKEN}`, { method: 'DELETE' });
    await fetch(`${service.url}${LATEST}`, { method: 'HEAD', headers: { 'x-api-key': key } });
    await fetch(`${service.url}${LATEST}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.org', 'access-control-request-method': 'GET' },
    });
    await wire(`PROPFIND ${LATEST}`, key);
    await wire('GET /v1/%zz', key);
    await wire(`GET /v1/node/txs/${'a'.repeat(600)}`, key);
    await exchange(service.url, 'not a request\r\n\r\n');
    await exchange(service.url, `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(200_000)}\r\n\r\n`);
    await service.get('/health/ready');
    // The pages of the docs share their series.
    for (const page of ['/docs', '/docs/prices', '/docs/reference/users', '/docs/prices.md', '/docs/keys.md'])
      await service.get(page);
  });

  expect(counted).toEqual({
    [`GET 200 ${TOKEN}`]: 21,
    [`GET 304 ${TOKEN}`]: 1,
    [`GET 401 ${TOKEN}`]: 2,
    [`GET 429 ${TOKEN}`]: 1,
    [`GET 400 ${TOKEN}`]: 2,
    [`HEAD 200 ${TOKEN}`]: 1,
    'GET 200 /v1/prices/history/days': 1,
    'GET 400 /v1/node/txs/:hash': 1,
    'GET 404 unmatched': 2,
    'DELETE 405 unmatched': 1,
    'OPTIONS 204 *': 1,
    'other 405 unmatched': 1,
    'GET 400 unmatched': 1,
    'GET 414 unmatched': 1,
    'other 400 unmatched': 1,
    'other 431 unmatched': 1,
    'GET 200 /health/ready': 1,
    'GET 200 /docs/*': 3,
    'GET 200 /docs/*.md': 2,
  });
});

test('a histogram has every successful response of its route, and its buckets add up', async () => {
  const series = await scrape.series();
  const successes = new Map<string, number>();
  for (const [request, count] of Object.entries(requestsOf(series))) {
    const [, status = '', route = ''] = request.split(' ');
    if (/^(2|304)/.test(status)) successes.set(route, (successes.get(route) ?? 0) + count);
  }
  const labelled = [...series.keys()].filter((name) => name.startsWith('quotient_http_request_duration_seconds_count'));
  expect(labelled).toHaveLength(successes.size);
  for (const [route, count] of successes) {
    const of = (part: string, more = '') =>
      series.get(`quotient_http_request_duration_seconds_${part}{route="${route}"${more}}`) ?? Number.NaN;
    const buckets = [...BOUNDS, '+Inf'].map((bound) => of('bucket', `,le="${bound}"`));
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(buckets.at(-1)).toBe(count);
    expect(of('count')).toBe(count);
    expect(of('sum')).toBeGreaterThanOrEqual(0);
  }
});

test('an unresponsive database is reported', async () => {
  const database = await openTestDatabase({ unshared: true });
  const other = await startService({ database, settings: METRICS_ON });
  await database.close();
  const series = seriesOf(await other.parts.metrics.text());
  await other.close();
  expect(series.get('quotient_database_up')).toBe(0);
});

describe('input of clients', () => {
  test('is not reported as a failure', async () => {
    const key = await service.register();
    const secrets = [key, 'abandon', 'Lovelace', 'example.org', 'weird', 'my-request-id', '203.0.113.7', 'zz'];
    await service.get(`/v1/user/data?api=${key}`);
    await service.get(`/v1/user/create?name=Ada+Lovelace&email=ada@example.org`);
    await service.get(`${LATEST}&mnemonic=abandon+abandon`, { key });
    await service.get(`/weird/${key}?api=${key}`);
    await service.get(`/v1/node/bank/balances/weird${key}`, { key });
    await service.get(LATEST, {
      key: `${key}x`,
      headers: { 'x-request-id': 'my-request-id', 'x-forwarded-for': '203.0.113.7', 'user-agent': 'weird' },
    });
    await wire(`GET /v1/%zz${key}`, key);
    await exchange(service.url, `${key} weird\r\n\r\n`);
    const text = await scrape.text();
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/https?:|127\.0\.0\.1/);
    expect(text).toContain(`quotient_http_requests_total{route="${TOKEN}",method="GET"`);
  });

  test('does not create series: hundreds of paths and methods are counted under a few labels', async () => {
    const connection = openConnection(service.url);
    const segment = fc.stringMatching(/^[\w.~%:*-]{0,12}$/);
    const path = fc
      .tuple(
        fc.constantFrom('', '/v1', '/v1/prices/latest', '/v1/node/txs', '/docs', '/v1/user'),
        fc.array(segment, { maxLength: 3 }),
      )
      .map(([prefix, segments]) => `${prefix}/${segments.join('/')}`);
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PATCH', 'PROPFIND', 'MKCOL', 'SEARCH');
    const before = requestsOf(await scrape.series());
    await fc.assert(
      fc.asyncProperty(method, path, async (verb, url) => {
        const request = `${verb} ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;
        const { status } = await connection.send([request], { isHead: verb === 'HEAD' });
        expect(status).toBeGreaterThanOrEqual(200);
      }),
      { numRuns: 300 },
    );
    connection.close();
    const after = requestsOf(await scrape.series());
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
    expect(sum(after) - sum(before)).toBe(300);
    const made = Object.keys(after).filter((name) => before[name] === undefined);
    expect(made.length).toBeLessThan(40);
    const known = /^(GET|HEAD|POST|PATCH|DELETE|OPTIONS|other) \d{3} (unmatched|\*|\/[\w./:*-]*)$/;
    expect(Object.keys(after).filter((name) => !known.test(name))).toEqual([]);
  });
});

test('the metrics are on one path of a separate port, and not on the public port', async () => {
  expect((await service.get('/metrics')).status).toBe(404);
  expect((await fetch(scrape.url.replace('/metrics', '/v1/tokens'))).status).toBe(404);
  const response = await fetch(scrape.url);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  await response.body?.cancel();
});
