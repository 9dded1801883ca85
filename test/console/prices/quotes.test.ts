import { describe, expect, it } from 'vitest';
import { QuotientError, type TokenPrice } from '#client/index';
import type { ApiCall, Result } from '#console/api/api-call';
import { createQuotes, isBehind } from '#console/prices/quotes';
import { HOUR, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');

/** A response with a price for each name in `ages`. An age is in ms; null is a token without a price. */
function response(ages: Readonly<Record<string, number | null>>, stale?: string): Result<TokenPrice[]> {
  const value = Object.entries(ages).map(
    ([tokenName, age]) => ({ tokenName, at: age === null ? null : new Date(NOW - age) }) as TokenPrice,
  );
  const fetchedAt = new Date(NOW - Math.max(MINUTE, ...Object.values(ages).map((age) => age ?? 0)));
  return { value, fetchedAt, stale, gaps: [], sources: [] };
}

/** The response of each call, by path. */
const quotesOf = (report: (path: string) => Result<TokenPrice[]> | Promise<Result<TokenPrice[]>>) =>
  createQuotes({
    fetch: async <T extends object>({ path }: ApiCall<T>) => (await report(path)) as unknown as Result<T>,
  });

describe('the ages of prices', () => {
  it('equal the age of the response if all prices have one time', async () => {
    const quotes = quotesOf(() => response({ a: MINUTE, b: 3 * MINUTE, c: null }, 'timed out'));
    await quotes.load(['a', 'b', 'c'], 'usd', false);
    const age = { fetchedAt: new Date(NOW - 3 * MINUTE), stale: 'timed out' };
    expect(quotes.age.value).toEqual(age);
    expect([quotes.of('a')?.age, quotes.of('b')?.age]).toEqual([age, age]);
  });

  it('are common to all prices, except for late prices', async () => {
    const quotes = quotesOf(() => response({ a: MINUTE, b: 3 * MINUTE, c: 5 * HOUR, d: null }));
    await quotes.load(['a', 'b', 'c', 'd'], 'usd', false);
    const [age, newest] = [quotes.age.value, quotes.newest.value];
    expect(age?.fetchedAt).toEqual(new Date(NOW - 3 * MINUTE));
    const behind = ['a', 'b', 'c', 'd'].filter((token) => {
      const quote = quotes.of(token);
      return quote && isBehind(quote, newest);
    });
    expect(behind).toEqual(['c']);
    expect(quotes.of('c')?.age.fetchedAt).toEqual(new Date(NOW - 5 * HOUR));
  });

  it('are unknown without a price', () => {
    expect(quotesOf(() => response({})).age.value).toBeUndefined();
  });
});

it('keeps its prices when a call fails, and requests all of them again', async () => {
  const names = Array.from({ length: 150 }, (_, i) => `t${i}`);
  let failing = false;
  const requested: number[] = [];
  const quotes = quotesOf((path) => {
    const list = (/tokenNames=([^&]*)/.exec(path)?.[1] ?? '').split(',');
    requested.push(list.length);
    if (failing && list.length === 50) throw new Error('away');
    return response(Object.fromEntries(list.map((name) => [name, MINUTE])));
  });
  await quotes.load(names, 'usd', false);
  failing = true;
  await expect(quotes.load([...quotes.requested.value], 'usd', true)).rejects.toThrow('away');
  expect(requested).toEqual([100, 50, 100, 50]);
  expect(names.every((name) => quotes.of(name) !== undefined)).toBe(true);
});

it('keeps the line of a price that is updated', async () => {
  const sparkline_24h = [1, null, 3];
  const quotes = quotesOf(() => {
    const { value, ...rest } = response({ a: MINUTE });
    return { value: value.map((price) => ({ ...price, sparkline_24h })), ...rest };
  });
  await quotes.load(['a'], 'usd', false);
  quotes.update({ tokenName: 'a', current_price: 4, at: new Date(NOW) } as TokenPrice);
  expect(quotes.of('a')?.price).toMatchObject({ current_price: 4, sparkline_24h });
});

it('marks prices with the failure until they are updated', async () => {
  let failing = false;
  const quotes = quotesOf(() => {
    if (failing) throw new QuotientError('network', 'away');
    return response({ a: MINUTE });
  });
  await quotes.load(['a'], 'usd', false);
  failing = true;
  await expect(quotes.load(['a'], 'usd', true)).rejects.toThrow('away');
  expect([quotes.of('a')?.age, quotes.age.value]).toEqual(
    Array(2).fill(expect.objectContaining({ failure: expect.objectContaining({ code: 'network' }) })),
  );
  failing = false;
  await quotes.load(['a'], 'usd', true);
  expect(quotes.of('a')?.age.failure).toBeUndefined();
});

it('shows one currency at a time, the last requested one', async () => {
  const pending: (() => void)[] = [];
  const quotes = quotesOf((path) => {
    const done = response({ a: MINUTE });
    return path.includes('eur') ? new Promise((resolve) => pending.push(() => resolve(done))) : done;
  });
  await quotes.load(['a'], 'usd', false);
  const euros = quotes.load(['a'], 'eur', false);
  expect(quotes.of('a')?.currency).toBe('usd');
  await quotes.load(['a'], 'gbp', false);
  for (const resolve of pending) resolve();
  await euros;
  expect(quotes.of('a')?.currency).toBe('gbp');
});

it('drops prices in the previous currency when the new currency is unavailable', async () => {
  const quotes = quotesOf((path) => {
    if (path.includes('eur')) throw new Error('no rate');
    return response({ a: MINUTE });
  });
  await quotes.load(['a'], 'usd', false);
  await expect(quotes.load(['a'], 'eur', false)).rejects.toThrow('no rate');
  expect(quotes.of('a')).toBeUndefined();
});

it('drops tokens that are no longer served', async () => {
  const quotes = quotesOf(() => response({ a: MINUTE, b: MINUTE }));
  await quotes.load(['a', 'b'], 'usd', false);
  quotes.keep((token) => token === 'b');
  expect([[...quotes.requested.value], quotes.of('a'), quotes.of('b')?.currency]).toEqual([['b'], undefined, 'usd']);
});
