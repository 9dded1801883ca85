import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import {
  cacheStatusOf,
  DAY_CHART,
  DAYS,
  type FaultyUpstreamService,
  LATEST,
  startWithFaultyUpstream,
} from '../../support/service/chaos.ts';

let service: FaultyUpstreamService;
let other: string;
beforeAll(async () => {
  service = await startWithFaultyUpstream({ start: '2026-05-15T14:10:06Z' });
  other = await service.register('yearly');
});
afterAll(() => service?.close());

const DATE = '/v1/prices/history/date?tokenName=bitcoin&date=01-05-2026';
const SETTLED = '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-04-01&thruDate=2026-04-30';
const HOURS = '/v1/prices/history/days?tokenName=bitcoin&days=5';
const OPEN = [LATEST, DAY_CHART, HOURS, DAYS];
const ALL = [...OPEN, DATE, SETTLED];

const used = async () => {
  const response = await service.get('/v1/user/usage', { key: service.key });
  return ((await response.json()) as { used: number }).used;
};

describe.each(ALL)('GET %s', (path) => {
  test('has a strong ETag: the same for every key, and different for each body and coding', async () => {
    const mine = await service.ask(path, { 'accept-encoding': 'identity' });
    const again = await service.ask(path, { 'accept-encoding': 'identity' });
    const theirs = await service.get(path, { key: other, headers: { 'accept-encoding': 'identity' } });
    expect(mine.header('etag')).toMatch(/^"[\w-]+"$/);
    expect(again.header('etag')).toBe(mine.header('etag'));
    expect(theirs.headers.get('etag')).toBe(mine.header('etag'));

    const etags = new Set<string>();
    for (const coding of ['identity', 'br', 'gzip']) {
      const response = await service.ask(path, { 'accept-encoding': coding });
      expect(response.body).toBe(mine.body);
      expect(response.header('vary')).toBe('Accept, Accept-Encoding');
      etags.add(response.header('etag') ?? '');
    }
    expect(etags.size).toBe(mine.body.length < 1024 ? 1 : 3);
  });

  test('responds with 304 to a client that has the body: free of charge, with caching headers, without a body', async () => {
    const full = await service.ask(path);
    const etag = full.header('etag') ?? '';
    const before = await used();
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `W/"other",W/${etag} , "third"`]) {
      const response = await service.ask(path, { 'if-none-match': known });
      expect(response).toMatchObject({ status: 304, body: '' });
      for (const name of ['etag', 'cache-control', 'vary', 'last-modified', 'cache-status', 'age']) {
        expect(response.header(name), name).toBe(full.header(name));
      }
      for (const name of ['content-type', 'content-encoding']) expect(response.header(name)).toBeUndefined();
    }
    expect(await used()).toBe(before);
    for (const unknown of ['"other"', etag.replaceAll('"', ''), 'W/*', '']) {
      const response = await service.ask(path, { 'if-none-match': unknown });
      expect(response).toMatchObject({ status: 200, body: full.body });
    }
    expect(await used()).toBe(before + 4);
  });

  test('HEAD is like GET without the body', async () => {
    const got = await service.ask(path, { 'accept-encoding': 'identity' });
    const headers = { 'x-api-key': service.key, 'accept-encoding': 'identity' };
    const head = await fetch(`${service.url}${path}`, { method: 'HEAD', headers });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control', 'vary', 'last-modified']) {
      expect(head.headers.get(name), name).toBe(got.header(name));
    }
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(got.body));
  });
});

test('the ETag of one coding does not match another', async () => {
  const plain = await service.ask(DAYS, { 'accept-encoding': 'identity' });
  const response = await service.ask(DAYS, {
    'accept-encoding': 'br',
    'if-none-match': plain.header('etag') ?? '',
  });
  expect(response).toMatchObject({ status: 200, body: plain.body });
});

describe('Cache-Control', () => {
  test.each(OPEN)('of %s is fresh for a limited time', async (path) => {
    await service.ask(path);
    const fresh = await service.ask(path);
    const { ttl } = cacheStatusOf(fresh.header('cache-status'));
    expect(fresh.header('cache-control')).toBe('private, max-age=360, stale-while-revalidate=60, stale-if-error=86400');
    expect(ttl).toBeGreaterThan(0);
    expect(Number(fresh.header('age')) + (ttl ?? 0)).toBe(360);
  });

  test.each([DATE, SETTLED])('is immutable for a settled past: %s', async (path) => {
    const response = await service.ask(path);
    expect(response.header('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(response.cache).toEqual({ cache: 'quotient', hit: true });
    expect(response.header('age')).toBeUndefined();
  });

  test('is not immutable if the past has gaps', async () => {
    const response = await service.ask(
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2025-04-01&thruDate=2025-06-01',
    );
    expect(response.header('quotient-gaps')).toMatch(/^2025-04-01\/2025-05-1\d$/);
    expect(response.header('cache-control')).not.toContain('immutable');
  });

  test('is not immutable for hours of today and yesterday that may still change', async () => {
    const response = await service.ask(
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-05-14&thruDate=2026-05-15&interval=hourly',
    );
    expect(response.status).toBe(200);
    expect(response.header('cache-control')).not.toContain('immutable');
  });

  test('is no-store for statuses other than 2xx and 304', async () => {
    const response = await service.ask('/v1/prices/latest/token?tokenName=dogecoin');
    expect(response).toMatchObject({ status: 400 });
    expect(response.header('cache-control')).toBe('no-store');
  });
});

describe('If-Modified-Since', () => {
  const since = (path: string, value: string, headers = {}) =>
    service.ask(path, { ...headers, 'if-modified-since': value });

  test.each(ALL)('responds with 304 free of charge for %s if the time is that of the response', async (path) => {
    const full = await service.ask(path);
    const modified = full.header('last-modified') ?? '';
    const before = await used();
    expect(await since(path, modified)).toMatchObject({ status: 304, body: '' });
    expect(await used()).toBe(before);
  });

  test('ignores If-Modified-Since next to If-None-Match, and responds with 200 to another time', async () => {
    const full = await service.ask(LATEST);
    const modified = full.header('last-modified') ?? '';
    const at = Date.parse(modified);
    expect(await since(LATEST, modified, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
    for (const other of [new Date(at - 1000).toUTCString(), new Date(at + 1000).toUTCString(), 'now', ''])
      expect(await since(LATEST, other), other).toMatchObject({ status: 200, body: full.body });
  });

  test('responds with 200 to a time if older values may still change: gaps, exchange rates', async () => {
    const gaps = '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2025-04-01&thruDate=2025-06-01';
    for (const path of [gaps, `${SETTLED}&currency=eur`]) {
      const modified = (await service.ask(path)).header('last-modified') ?? '';
      expect(await since(path, modified), path).toMatchObject({ status: 200 });
    }
  });
});

test('Age is the number of seconds since the fetch, and Last-Modified is the time of the newest sample', async () => {
  const first = await service.ask(LATEST);
  await service.pass(90_000);
  const later = await service.ask(LATEST);
  expect(Number(later.header('age'))).toBe(Number(first.header('age')) + 90);
  expect(later.header('last-modified')).toBe(first.header('last-modified'));
  const modified = Date.parse(later.header('last-modified') ?? '');
  expect(modified).toBeLessThanOrEqual(service.clock.now());
  expect(modified).toBeGreaterThan(service.clock.now() - 10 * MINUTE);
});

test('Cache-Status distinguishes a fill, a hit and a refresh', async () => {
  const path = '/v1/prices/history/days?tokenName=solana&days=40';
  expect((await service.ask(path)).cache).toMatchObject({ cache: 'quotient', fwd: 'miss', stored: true });
  expect((await service.ask(path)).cache).toMatchObject({ cache: 'quotient', hit: true });
  await service.pass(8 * MINUTE);
  const held = service.sandbox.faults.hold();
  const stale = await service.ask(LATEST);
  expect(stale.cache).toMatchObject({ cache: 'quotient', fwd: 'stale', detail: 'refreshing' });
  expect(stale.cache?.ttl).toBeLessThanOrEqual(0);
  expect(stale.header('cache-control')).toContain('max-age=360,');
  expect(Number(stale.header('age'))).toBeGreaterThan(360);
  held.release();
  await service.parts.market.idle();
  expect((await service.ask(LATEST)).cache).toEqual({ cache: 'quotient', hit: true, ttl: 360 });
});

test('a new day is not immutable until its prices are final', async () => {
  service.clock.goTo('2026-05-16T00:20:00Z');
  await service.pass(0);
  const path = '/v1/prices/history/date?tokenName=bitcoin&date=16-05-2026';
  const early = await service.ask(path);
  if (early.status === 200) expect(early.header('cache-control')).not.toContain('immutable');
  await service.pass(HOUR);
  await service.ask(path);
  await service.parts.market.idle();
  await service.pass(DAY);
  const late = await service.ask(path);
  expect(late.header('cache-control')).toContain('immutable');
});
