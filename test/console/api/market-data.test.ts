import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuotientError } from '#client/index';
import { type ApiCall, daysCall } from '#console/api/api-call';
import { createMarketData } from '#console/api/market-data';
import type { Session } from '#console/api/session';
import { pauseAfter } from '#console/dashboard/auto-refresh';
import { MINUTE } from '#core/clock';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const session = { client: { about: () => ({ age: 60, gaps: [], sources: ['a'] }) } } as unknown as Session;

/** A call that returns the elements of `answers` in turn. */
function callOf(answers: (object | Error)[]): ApiCall {
  return {
    path: '/path',
    method: '',
    send: async () => {
      const next = answers.shift();
      if (!next || next instanceof Error) throw next;
      return next;
    },
  };
}

it('reuses an answer for a minute', async () => {
  const marketData = createMarketData(session);
  const [first, second] = [{}, {}];
  const call = callOf([first, second]);
  expect((await marketData.fetch(call)).value).toBe(first);
  expect((await marketData.fetch(call)).value).toBe(first);
  vi.advanceTimersByTime(MINUTE);
  expect((await marketData.fetch(call)).value).toBe(second);
});

it('gives the last answer with the failure of a later call, and asks again at once', async () => {
  const marketData = createMarketData(session);
  const [first, second] = [{}, {}];
  const call = callOf([first, new QuotientError('network', 'away'), second]);
  const { fetchedAt } = await marketData.fetch(call);
  const kept = await marketData.fetch(call, { refresh: true });
  expect(kept).toMatchObject({ fetchedAt, failure: { code: 'network' } });
  expect(kept.value).toBe(first);
  const fresh = await marketData.fetch(call);
  expect([fresh.value, fresh.failure]).toEqual([second, undefined]);
});

it('rejects where there never was an answer, or it was forgotten', async () => {
  const marketData = createMarketData(session);
  const away = new QuotientError('network', 'away');
  const call = callOf([away, {}, away]);
  await expect(marketData.fetch(call)).rejects.toBe(away);
  await marketData.fetch(call);
  marketData.clear();
  await expect(marketData.fetch(call)).rejects.toBe(away);
});

it('gives for free what it has, or the sample of the service', async () => {
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
  const answer = {};
  const sampled = { ...daysCall('bitcoin', 30, 'usd'), send: async () => answer as never };
  for (const other of [daysCall('bitcoin', 30, 'eur'), daysCall('bitcoin', 7, 'usd'), callOf([])])
    expect(await marketData.free(other)).toBeUndefined();
  expect(await marketData.free(sampled)).toMatchObject({ value: history, isSample: true, sources: ['a'] });
  expect(await marketData.free(sampled), 'without a sample').toBeUndefined();
  await marketData.fetch(sampled);
  const recent = await marketData.free(sampled);
  expect([recent?.value === answer, recent?.isSample]).toEqual([true, undefined]);
  vi.advanceTimersByTime(MINUTE);
  expect(await marketData.free(sampled), 'it is no longer reused').toBeUndefined();
});

it('waits longer from try to try, and never less than the service asks for', () => {
  const pauses = [1, 2, 3, 4, 5, 60].map((attempts) => pauseAfter(attempts) / 1000);
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  expect([pauseAfter(1, 12), pauseAfter(5, 12), pauseAfter(1, 3600)]).toEqual([12_000, 60_000, 3_600_000]);
});
