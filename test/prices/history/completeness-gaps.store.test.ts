import { afterEach, describe, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const NOW = '2026-05-15T14:42:25.300Z';

async function openAt(now: string, plan?: 'public' | 'demo' | 'pro') {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, plan && { plan });
  return { clock, ...opened };
}

describe('a window that starts before the plan’s range', () => {
  test.each(['public', 'demo'] as const)(
    'returns the existing points, and reports the rest as gaps (%s)',
    async (plan) => {
      const { market } = await openAt(NOW, plan);
      const answer = await market.range('bitcoin', 'day', date('2025-01-01'), date('2025-12-31'), 'json');
      expect(answer.gaps).toEqual(['2025-01-01/2025-05-15']);
      expect(answer.settled).toBe(false);
      const times = timesOf(answer);
      expect(times[0]).toBe(date('2025-05-16'));
      expect(times).toHaveLength((date('2026-01-01') - date('2025-05-16')) / DAY);
    },
  );

  test('reports no date before the listing', async () => {
    const { market } = await openAt(NOW);
    const answer = await market.range('usd-coin', 'day', date('2010-01-01'), date('2026-01-01'), 'json');
    expect(answer.gaps).toEqual(['2018-10-05/2025-05-15']);
  });

  test('with days up to now is never settled', async () => {
    const { market } = await openAt(NOW);
    const answer = await market.days('bitcoin', 366, 'json');
    expect(answer.gaps).toEqual(['2025-05-15/2025-05-15']);
    expect(answer.settled).toBe(false);
  });

  test('includes the date a year ago at exactly midnight', async () => {
    const { market } = await openAt('2026-05-15T00:00:00.000Z');
    const answer = await market.range('bitcoin', 'day', date('2025-05-14'), date('2025-05-17'), 'json');
    expect(answer.gaps).toEqual(['2025-05-14/2025-05-14']);
    expect(timesOf(answer)).toEqual(['2025-05-15', '2025-05-16', '2025-05-17'].map(date));
  });

  test('keeps rows that have left the plan’s range', async () => {
    const { clock, market } = await openAt(NOW);
    await market.days('bitcoin', 30, 'json');
    clock.advance(40 * DAY);
    await market.days('bitcoin', 30, 'json');
    await market.idle();
    const answer = await market.range('bitcoin', 'day', date('2025-05-10'), date('2025-06-30'), 'json');
    expect(answer.gaps).toEqual(['2025-05-10/2025-05-15']);
    expect(timesOf(answer)[0]).toBe(date('2025-05-16'));
  });
});

describe('a window without available data', () => {
  test('is no_data before the listing, without gaps', async () => {
    const { market } = await openAt(NOW);
    const none = { code: 'no_data', status: 404, members: {} };
    await expect(market.date('arweave', date('2020-01-30'), 'json')).rejects.toMatchObject(none);
    const range = market.range('solana', 'day', date('2019-01-01'), date('2020-04-10'), 'json');
    await expect(range).rejects.toMatchObject(none);
  });

  test('is upstream_unavailable beyond the plan’s range, with the gaps', async () => {
    const { market } = await openAt(NOW);
    const range = market.range('bitcoin', 'day', date('2013-01-01'), date('2014-12-31'), 'json');
    await expect(range).rejects.toMatchObject({
      code: 'upstream_unavailable',
      status: 503,
      headers: { 'retry-after': '3600' },
      members: { gaps: ['2013-04-28/2014-12-31'] },
      message: expect.stringContaining('2025-05-15'),
    });
  });

  test('is no_data with the gaps for minutes that no plan provides', async () => {
    const { market } = await openAt(NOW, 'pro');
    const range = market.range('bitcoin', 'minute', date('2026-05-01'), date('2026-05-01'), 'json');
    await expect(range).rejects.toMatchObject({
      code: 'no_data',
      members: { gaps: ['2026-05-01T00:00:00.000Z/2026-05-01T23:59:59.999Z'] },
    });
  });

  test('is no_data for a date that CoinGecko lacks', async () => {
    const { market } = await openAt(NOW, 'pro');
    const hole = market.date('ethereum', date('2015-08-09'), 'json');
    await expect(hole).rejects.toMatchObject({ code: 'no_data', members: {} });
    const around = await market.range('ethereum', 'day', date('2015-08-08'), date('2015-08-10'), 'json');
    expect(timesOf(around)).toEqual(['2015-08-08', '2015-08-10'].map(date));
    expect(around.gaps).toEqual([]);
  });

  test('that starts in year 0 gets the same response', async () => {
    const { market } = await openAt(NOW);
    const answer = await market.range('bitcoin', 'minute', date('0000-01-01'), date('2026-05-15'), 'json');
    expect(timesOf(answer).length).toBeGreaterThan(100);
  });
});

describe('a window is settled', () => {
  test('if all its days are ready and none is missing', async () => {
    const { clock, market } = await openAt('2026-05-15T00:41:00Z', 'pro');
    const thru = (iso: string) => market.range('bitcoin', 'day', date('2013-01-01'), date(iso), 'json');
    expect(await thru('2026-05-14')).toMatchObject({ settled: true, gaps: [] });
    expect(await thru('2026-05-15')).toMatchObject({ settled: false, gaps: [] });
    clock.goTo('2026-05-16T00:00:00Z');
    expect(await thru('2026-05-15')).toMatchObject({ settled: true, gaps: [] });
    expect(timesOf(await thru('2026-05-15')).at(-1)).toBe(date('2026-05-15'));
  });

  test('only if its hours were fetched two hours after their end', async () => {
    const { clock, market } = await openAt('2026-05-14T23:50:00Z');
    await market.days('bitcoin', 1, 'json');
    clock.goTo('2026-05-15T02:30:00Z');
    const yesterday = () => market.range('bitcoin', 'hour', date('2026-05-14'), date('2026-05-14'), 'json');
    expect((await yesterday()).settled).toBe(false);
    await market.days('bitcoin', 1, 'json');
    await market.idle();
    expect(await yesterday()).toMatchObject({ settled: true, gaps: [] });
  });
});
