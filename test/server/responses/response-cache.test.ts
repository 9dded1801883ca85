import { beforeEach, expect, test } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import type { DataResponse } from '#server/responses/response-body';
import { bodyOf } from '#server/responses/response-body';
import { type CachedResponses, createResponseCache } from '#server/responses/response-cache';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';

let clock: TestClock;
let cache: CachedResponses;
let others: CachedResponses;
beforeEach(() => {
  clock = createTestClock('2026-05-15T14:10:06Z');
  const responses = createResponseCache(clock);
  cache = responses('prices', { generation: () => 1 });
  others = responses('statistics', { generation: () => 1 });
});

function createResponse(outcome: Partial<DataResponse['outcome']> = {}, body = bodyOf('{}')): DataResponse {
  return {
    body,
    source: 'coingecko',
    modifiedAt: clock.now(),
    fetchedAt: clock.now(),
    dueAt: clock.now() + HOUR,
    isImmutable: false,
    gaps: [],
    outcome: { fetched: false, refreshing: false, failure: undefined, ...outcome },
  };
}

test('reuses a response within its second, and not longer', () => {
  const kept = cache.keep('bitcoin', createResponse());
  clock.advance(SECOND - 1);
  expect(cache.get('bitcoin')).toBe(kept);
  expect(cache.get('solana')).toBeUndefined();
  clock.advance(1);
  expect(cache.get('bitcoin')).toBeUndefined();
});

test('does not reuse a response that is newer than the clock, which was set back', () => {
  cache.keep('bitcoin', createResponse());
  clock.set(-1);
  expect(cache.get('bitcoin')).toBeUndefined();
});

test.each<[string, Partial<DataResponse['outcome']>]>([
  ['needed a fetch', { fetched: true }],
  ['arrived during a fetch', { refreshing: true }],
  ['had a failed fetch', { failure: new Error('away') }],
])('does not reuse a response that %s', (_what, outcome) => {
  const made = createResponse(outcome);
  expect(cache.keep('bitcoin', made)).toBe(made);
  expect(cache.get('bitcoin')).toBeUndefined();
});

test('keeps the responses of services with the same request text separate', () => {
  const kept = cache.keep('bitcoin', createResponse());
  expect(others.get('bitcoin')).toBeUndefined();
  others.keep('bitcoin', createResponse());
  expect(cache.get('bitcoin')).toBe(kept);
});

const never = (): string => {
  throw new Error('built twice');
};
const TEXT = 'x'.repeat(1000);

test('a body outlives its response as long as its rows are unchanged', () => {
  const body = cache.body('bitcoin,7', '1', () => TEXT);
  const kept = cache.keep('bitcoin,7', createResponse({}, body));
  expect(kept.fromCache?.(clock.now())).toBe(kept);
  clock.advance(SECOND);
  expect(kept.fromCache?.(clock.now())).toBeUndefined();
  cache.keep('bitcoin,30', createResponse());
  expect(cache.body('bitcoin,7', '1', never)).toBe(body);
  expect(cache.body('ethereum,7', '1', () => TEXT)).not.toBe(body);
  expect(cache.body('bitcoin,7', '2', () => TEXT)).not.toBe(body);
});

test('a body is evicted to make room for bodies of any service, and its size includes its compressed forms', () => {
  const responses = createResponseCache(clock, 4 * 2000 + 100);
  const [prices, candles] = [responses('p', { generation: () => 1 }), responses('c', { generation: () => 1 })];
  const long = 'x'.repeat(2000);
  const first = prices.body('bitcoin,7', '1', () => long);
  const second = candles.body('bitcoin,7', '1', () => long);
  expect(prices.body('bitcoin,7', '1', never)).toBe(first);
  prices.body('bitcoin,90', '1', () => long);
  expect(prices.body('bitcoin,7', '1', never)).toBe(first);
  expect(candles.body('bitcoin,7', '1', () => long)).not.toBe(second);
});

test('a response without its own rows caches no body, which leaves room for others', () => {
  const responses = createResponseCache(clock, 3200);
  const prices = responses('p', { generation: () => 1 });
  const kept = prices.body('bitcoin,7', '1', () => TEXT);
  clock.advance(1);
  prices.keep('gone', createResponse({}, bodyOf(TEXT)));
  clock.advance(SECOND);
  prices.keep('next', createResponse({}, bodyOf(TEXT)));
  prices.keep('after', createResponse({}, bodyOf(TEXT.slice(0, 900))));
  expect(prices.body('bitcoin,7', '1', never)).toBe(kept);
});

test('concurrent requests for a long response share it', async () => {
  let made = 0;
  const make = async () => {
    made += 1;
    return createResponse({ fetched: true });
  };
  const respond = (isLong: boolean) => cache.respond('bitcoin,365', () => isLong, make);
  await Promise.all([respond(true), respond(true), respond(true)]);
  expect(made).toBe(1);
  await Promise.all([respond(false), respond(false)]);
  expect(made).toBe(3);
});

test.each([[false], [true]])('the body of rows is kept by their version, wide: %s', async (isWide) => {
  const of = (version: string | undefined, text = 'a') =>
    cache.bodyOfRows('bitcoin', { version, isWide }, () => [text]);
  const first = await of('1');
  expect(await of('1', 'b')).toBe(first);
  expect(await of('2', 'b')).not.toBe(first);
  expect((await of(undefined, 'c')).identity.payload).toBe('c');
});
