import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
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
      const response = await market.range('bitcoin', 'day', date('2025-01-01'), date('2025-12-31'), 'json');
      expect(response.gaps).toEqual(['2025-01-01/2025-05-15']);
      expect(response.isImmutable).toBe(false);
      const times = timesOf(response);
      expect(times[0]).toBe(date('2025-05-16'));
      expect(times).toHaveLength((date('2026-01-01') - date('2025-05-16')) / DAY);
    },
  );

  test('reports no date before the listing', async () => {
    const { market } = await openAt(NOW);
    const response = await market.range('usd-coin', 'day', date('2010-01-01'), date('2026-01-01'), 'json');
    expect(response.gaps).toEqual(['2018-10-05/2025-05-15']);
  });

  test('with days up to now is never immutable', async () => {
    const { market } = await openAt(NOW);
    const response = await market.days('bitcoin', 366, 'json');
    expect(response.gaps).toEqual(['2025-05-15/2025-05-15']);
    expect(response.isImmutable).toBe(false);
  });

  test('includes the date a year ago at exactly midnight', async () => {
    const { market } = await openAt('2026-05-15T00:00:00.000Z');
    const response = await market.range('bitcoin', 'day', date('2025-05-14'), date('2025-05-17'), 'json');
    expect(response.gaps).toEqual(['2025-05-14/2025-05-14']);
    expect(timesOf(response)).toEqual(['2025-05-15', '2025-05-16', '2025-05-17'].map(date));
  });

  test('keeps rows that have left the plan’s range', async () => {
    const { clock, market } = await openAt(NOW);
    await market.days('bitcoin', 30, 'json');
    clock.advance(40 * DAY);
    await market.days('bitcoin', 30, 'json');
    await market.idle();
    const response = await market.range('bitcoin', 'day', date('2025-05-10'), date('2025-06-30'), 'json');
    expect(response.gaps).toEqual(['2025-05-10/2025-05-15']);
    expect(timesOf(response)[0]).toBe(date('2025-05-16'));
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

  test('is upstream_unavailable for a date that CoinGecko lacks, and no_data after a week of requests', async () => {
    const { clock, market, sandbox } = await openAt(NOW, 'pro');
    const hole = () => market.date('ethereum', date('2015-08-09'), 'json');
    const gaps = ['2015-08-09/2015-08-09'];
    await expect(hole()).rejects.toMatchObject({ code: 'upstream_unavailable', status: 503, members: { gaps } });
    const around = await market.range('ethereum', 'day', date('2015-08-08'), date('2015-08-10'), 'json');
    expect(timesOf(around)).toEqual(['2015-08-08', '2015-08-10'].map(date));
    expect(around).toMatchObject({ gaps, isImmutable: false });
    for (let days = 0; days < 16; days++) {
      clock.advance(DAY);
      await hole().catch(() => undefined);
      await market.idle();
    }
    await expect(hole()).rejects.toMatchObject({ code: 'no_data', status: 404, members: { gaps } });
    // It remains requested, but only once a day, with the new day's row.
    sandbox.clearCalls();
    for (let hours = 0; hours < 24; hours++) {
      clock.advance(HOUR);
      await hole().catch(() => undefined);
      await market.idle();
    }
    expect(sandbox.countCalls('market_chart')).toBe(1);
  });

  test('that starts in year 0 gets the same response', async () => {
    const { market } = await openAt(NOW);
    const response = await market.range('bitcoin', 'minute', date('0000-01-01'), date('2026-05-15'), 'json');
    expect(timesOf(response).length).toBeGreaterThan(100);
  });
});

describe('a window is immutable', () => {
  test('if all its days are ready and none is missing', async () => {
    const { clock, market } = await openAt('2026-05-15T00:41:00Z', 'pro');
    const thru = (iso: string) => market.range('bitcoin', 'day', date('2013-01-01'), date(iso), 'json');
    expect(await thru('2026-05-14')).toMatchObject({ isImmutable: true, gaps: [] });
    expect(await thru('2026-05-15')).toMatchObject({ isImmutable: false, gaps: [] });
    clock.goTo('2026-05-16T00:00:00Z');
    expect(await thru('2026-05-15')).toMatchObject({ isImmutable: true, gaps: [] });
    expect(timesOf(await thru('2026-05-15')).at(-1)).toBe(date('2026-05-15'));
  });

  test('only if its hours were fetched two hours after their end', async () => {
    const { clock, market } = await openAt('2026-05-14T23:50:00Z');
    await market.days('bitcoin', 1, 'json');
    clock.goTo('2026-05-15T02:30:00Z');
    const yesterday = () => market.range('bitcoin', 'hour', date('2026-05-14'), date('2026-05-14'), 'json');
    expect((await yesterday()).isImmutable).toBe(false);
    await market.days('bitcoin', 1, 'json');
    await market.idle();
    expect(await yesterday()).toMatchObject({ isImmutable: true, gaps: [] });
  });
});
