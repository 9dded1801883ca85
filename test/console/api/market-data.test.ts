import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuotientError } from '#client/index';
import { type ApiCall, daysCall } from '#console/api/api-call';
import { createMarketData } from '#console/api/market-data';
import type { Session } from '#console/api/session';
import { retryDelay } from '#console/core/retries';
import { MINUTE } from '#core/clock';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const session = { client: { about: () => ({ age: 60, gaps: [], sources: ['a'] }) } } as unknown as Session;

/** A call that returns the elements of `responses` in turn. */
function callOf(responses: (object | Error)[]): ApiCall {
  return {
    path: '/path',
    method: '',
    send: async () => {
      const next = responses.shift();
      if (!next || next instanceof Error) throw next;
      return next;
    },
  };
}

it('reuses a response for a minute', async () => {
  const marketData = createMarketData(session);
  const first = {};
  const second = {};
  const call = callOf([first, second]);
  expect((await marketData.fetch(call)).value).toBe(first);
  expect((await marketData.fetch(call)).value).toBe(first);
  vi.advanceTimersByTime(MINUTE);
  expect((await marketData.fetch(call)).value).toBe(second);
});

it('returns the last response with the failure of a later call, and does not reuse it', async () => {
  const marketData = createMarketData(session);
  const first = {};
  const second = {};
  const call = callOf([first, new QuotientError('network', 'away'), second]);
  const { fetchedAt } = await marketData.fetch(call);
  const kept = await marketData.fetch(call, { refresh: true });
  expect(kept).toMatchObject({ fetchedAt, failure: { code: 'network' } });
  expect(kept.value).toBe(first);
  const fresh = await marketData.fetch(call);
  expect([fresh.value, fresh.failure]).toEqual([second, undefined]);
});

it('rejects if there is no earlier response', async () => {
  const marketData = createMarketData(session);
  const away = new QuotientError('network', 'away');
  await expect(marketData.fetch(callOf([away]))).rejects.toBe(away);
});

it('returns a reused response or the sample free of charge', async () => {
  const history = { prices: [] };
  const samples: object[] = [{ history }];
  const about = () => ({ age: 60, gaps: [], sources: ['a'] });
  const anonymous = {
    about,
    async sample() {
      const next = samples.shift();
      if (!next) throw new QuotientError('network', 'away');
      return next;
    },
  };
  const marketData = createMarketData({ client: { about }, anonymous } as unknown as Session);
  const response = {};
  const sampled = { ...daysCall('bitcoin', 30, 'usd'), send: async () => response as never };
  for (const other of [daysCall('bitcoin', 30, 'eur'), daysCall('bitcoin', 7, 'usd'), callOf([])])
    expect(await marketData.free(other)).toBeUndefined();
  expect(await marketData.free(sampled)).toMatchObject({ value: history, isSample: true, sources: ['a'] });
  expect(await marketData.free(sampled), 'without a sample').toBeUndefined();
  await marketData.fetch(sampled);
  const recent = await marketData.free(sampled);
  expect([recent?.value === response, recent?.isSample]).toEqual([true, undefined]);
  vi.advanceTimersByTime(MINUTE);
  expect(await marketData.free(sampled), 'it is no longer reused').toBeUndefined();
});

it('increases the pause with each attempt, and never waits less than Retry-After', () => {
  const pauses = [1, 2, 3, 4, 5, 60].map((attempts) => retryDelay(attempts) / 1000);
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  expect([retryDelay(1, 12), retryDelay(5, 12), retryDelay(1, 3600)]).toEqual([12_000, 60_000, 3_600_000]);
});
