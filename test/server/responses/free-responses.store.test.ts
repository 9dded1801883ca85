import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createTestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';

/* A response that is not charged reveals no price, whatever validators the client sends. */

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
const RANGE = '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-05-01&thruDate=2026-05-10';
const PATHS = [
  LATEST,
  `${LATEST}&currency=eur`,
  `${LATEST}&currency=btc`,
  '/v1/prices/latest/tokens?tokenNames=bitcoin,solana&currency=chf',
  '/v1/prices/latest/stats?token=btc',
  '/v1/prices/history/date?tokenName=bitcoin&date=01-05-2026&currency=eur',
  '/v1/prices/history/days?tokenName=bitcoin&days=1',
  '/v1/prices/history/days?tokenName=bitcoin&days=30&format=csv',
  RANGE,
  `${RANGE}&currency=jpy`,
  `${RANGE}&currency=eur&format=csv`,
  '/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=2026-05-01&thruDate=2026-05-10&currency=eur',
  '/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=2026-05-01&thruDate=2026-05-10&format=csv',
];

/** The headers that a 304 may add, and those of the connection. */
const ALLOWED = new Set([
  ...['etag', 'vary', 'cache-control', 'last-modified', 'age', 'cache-status'],
  ...['quotient-source', 'quotient-gaps', 'ratelimit', 'ratelimit-policy', 'x-request-id'],
  ...['date', 'connection', 'keep-alive'],
]);

const clock = createTestClock('2026-05-15T14:10:06Z');
let service: Service;
let rich: string;
/** The key of a user with one call left. */
let poor: string;
beforeAll(async () => {
  service = await startService({ clock, settings: { BURST_PER_SECOND: '0' } });
  rich = await service.createUser();
  poor = await service.createUser({ limit: 1 });
});
afterAll(() => service?.close());

async function get(path: string, key: string, headers: Record<string, string> = {}) {
  const response = await service.get(path, { key, headers: { 'accept-encoding': 'identity', ...headers } });
  const { status } = response;
  return { status, body: await response.text(), headers: Object.fromEntries(response.headers) };
}

const usage = async () => (await service.get('/v1/user/usage', { key: poor })).json();

/** The validators that an attacker who guesses a body can compute. */
const guesses = (body: string) =>
  ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) =>
    (['hex', 'base64', 'base64url'] as const).map((form) => createHash(name).update(body).digest(form)),
  );

/** For each path, whether the response to `If-Modified-Since` was a 304. */
const knownByTime: boolean[] = [];

describe.each(PATHS)('conditional requests for %s', (path) => {
  test('reveal nothing that would be charged', async () => {
    const paid = await get(path, rich);
    expect(paid.status).toBe(200);
    const isOfDollars = paid.headers['quotient-currency'] === undefined;
    expect(isOfDollars).toBe(!path.includes('currency='));
    const conditions: Record<string, string>[] = [
      { 'if-none-match': '*' },
      { 'if-none-match': '*', accept: 'application/json, text/csv' },
      { 'if-none-match': String(paid.headers.etag) },
      { 'if-none-match': `W/${paid.headers.etag}, "x"` },
    ];
    const free = [];
    for (let round = 0; round < 5; round++) for (const headers of conditions) free.push(await get(path, poor, headers));
    for (const { status, body, headers } of free) {
      expect([status, body]).toEqual([304, '']);
      expect(Object.keys(headers).filter((name) => !ALLOWED.has(name))).toEqual([]);
      expect(headers.etag).toBe(paid.headers.etag);
      expect(guesses(paid.body).filter((guess) => guess.includes(String(headers.etag).slice(1, 13)))).toEqual([]);
    }
    expect(await usage()).toMatchObject({ used: 0, remaining: 1 });
  });

  test('by time reveal nothing either', async () => {
    const paid = await get(path, rich);
    const since = { 'if-modified-since': String(paid.headers['last-modified']) };
    // If the time does not identify a response sufficiently, the response is 200 and charged.
    const known = (await get(path, rich, since)).status === 304;
    knownByTime.push(known);
    if (!known) return;
    const { status, headers } = await get(path, poor, since);
    expect(status).toBe(304);
    expect(Object.keys(headers).filter((name) => !ALLOWED.has(name))).toEqual([]);
    expect(await usage()).toMatchObject({ used: 0, remaining: 1 });
  });
});

test('a time alone is sufficient for some of these responses', () => {
  expect(knownByTime).toContain(true);
});

test('the validator of a body is the same in every process on a database, and differs between databases', async () => {
  const [beside, elsewhere] = [
    await startService({ clock, database: service.database }),
    await startService({ clock }),
  ];
  try {
    const path = `${LATEST}&currency=btc`;
    const first = await get(path, rich);
    const here = await beside.get(path, { key: rich });
    const there = await elsewhere.get(path, { key: await elsewhere.createUser() });
    for (const other of [here, there]) {
      expect(other.status).toBe(200);
      expect(JSON.parse(await other.text()).current_price).toBe(JSON.parse(first.body).current_price);
    }
    expect(here.headers.get('etag')).toBe(first.headers.etag);
    expect(there.headers.get('etag')).not.toBe(first.headers.etag);
  } finally {
    await beside.close();
    await elsewhere.close();
  }
});
