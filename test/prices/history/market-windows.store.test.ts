import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { dailySample } from '#sandbox/prices/chart';
import { figuresAt } from '#sandbox/prices/price-model';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, received, type TestMarket, timesOf } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

async function openAt(now: string, options: Parameters<typeof openTestMarket>[1] = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, options);
  return { clock, ...opened };
}
const snapshot = ({ body }: Awaited<ReturnType<TestMarket['market']['date']>>) =>
  JSON.parse(String(body.identity.payload));

describe('a number of days', () => {
  test('of 1 is the last 24 hours in five-minute points, up to now', async () => {
    const { clock, market } = await openAt('2026-05-15T14:42:25.300Z');
    const times = timesOf(await market.days('bitcoin', 1, 'json'));
    expect(times.length).toBeGreaterThan(280);
    expect(times[0]).toBeGreaterThan(clock.now() - DAY);
    expect(times.at(-1)).toBe(Date.parse('2026-05-15T14:42:25Z'));
  });

  test('of 10 is the last 240 hours', async () => {
    const { clock, market } = await openAt('2026-05-15T14:42:25.300Z');
    const times = timesOf(await market.days('bitcoin', 10, 'json'));
    expect(times[0]).toBeGreaterThan(clock.now() - 10 * DAY);
    expect(new Set(times.map((at) => Math.floor(at / HOUR))).size).toBeGreaterThanOrEqual(240);
    expect(clock.now() - (times.at(-1) ?? 0)).toBeLessThan(HOUR);
  });

  test('of 11 is eleven midnights, including today’s, and the latest sample', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z');
    const times = timesOf(await market.days('bitcoin', 11, 'json'));
    const midnights = Array.from({ length: 11 }, (_, day) => date('2026-05-05') + day * DAY);
    expect(times).toEqual([...midnights, Date.parse('2026-05-15T14:42:25Z')]);
  });

  test('that exceeds the history starts at the listing', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z', { plan: 'pro' });
    const response = await market.days('arweave', 36_500, 'json');
    expect(timesOf(response)[0]).toBe(date('2020-01-31'));
    expect(response.gaps).toEqual([]);
  });

  test('returns CoinGecko’s own values', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z', { plan: 'pro' });
    const series = received(await market.days('ethereum', 36_500, 'json'));
    for (const { date: at, price } of series.prices.slice(0, -1)) {
      expect(price).toBe(dailySample(1, 'ethereum', Date.parse(at))?.price);
    }
    for (const { date: at, price } of series.market_cap.slice(0, -1)) {
      expect(price).toBe(dailySample(1, 'ethereum', Date.parse(at))?.marketCap);
    }
    const nullCap = new Date(date('2017-04-02')).toUTCString();
    expect(series.market_cap.map(({ date: at }) => at)).not.toContain(nullCap);
    expect(series.prices.map(({ date: at }) => at)).toContain(nullCap);
    expect(series.prices).toHaveLength(series.market_cap.length + 1);
  });
});

describe('today', () => {
  test('returns the only sample once, although it is also the latest', async () => {
    const { market } = await openAt('2026-05-15T00:01:00.000Z');
    const { body } = await market.days('bitcoin', 30, 'csv');
    const dates = String(body.identity.payload).trimEnd().split('\r\n').slice(1);
    expect(dates).toHaveLength(30);
    expect(new Set(dates.map((line) => line.split(',')[0])).size).toBe(30);
  });

  test("is served from the day's first sample until its row is ready", async () => {
    const { market } = await openAt('2026-05-15T00:20:00.000Z');
    await market.days('bitcoin', 1, 'json');
    const first = timesOf(await market.range('bitcoin', 'minute', date('2026-05-15'), date('2026-05-15'), 'json'))[0];
    const response = await market.date('bitcoin', date('2026-05-15'), 'json');
    const { price, marketCap, volume } = figuresAt(1, 'bitcoin', response.modifiedAt) ?? {};
    expect(Math.floor(response.modifiedAt / SECOND) * SECOND).toBe(first);
    expect(snapshot(response)).toEqual([{ current_price: price, market_cap: marketCap, total_volume: volume }]);
    expect(response.isImmutable).toBe(false);
    expect(response.gaps).toEqual([]);
    const series = timesOf(await market.days('bitcoin', 11, 'json'));
    expect(series.at(-3)).toBe(date('2026-05-14'));
    expect(series.at(-2)).toBe(first);
    expect(series.at(-1)).toBe(date('2026-05-15') + 20 * MINUTE);
  });

  test('is served from its own row from 00:40 on, and the provisional row is deleted', async () => {
    const { clock, market } = await openAt('2026-05-15T00:20:00.000Z');
    await market.date('bitcoin', date('2026-05-15'), 'json');
    clock.goTo('2026-05-15T00:40:00.000Z');
    const response = await market.date('bitcoin', date('2026-05-15'), 'json');
    expect(response.modifiedAt).toBe(date('2026-05-15'));
    expect(snapshot(response)).toMatchObject([{ current_price: dailySample(1, 'bitcoin', date('2026-05-15'))?.price }]);
    const times = timesOf(await market.days('bitcoin', 11, 'json'));
    expect(times.filter((at) => at >= date('2026-05-15') && at < date('2026-05-15') + 40 * MINUTE)).toEqual([
      date('2026-05-15'),
    ]);
  });

  test('is not served from a sample of the afternoon', async () => {
    const { market, sandbox } = await openAt('2026-05-15T14:42:25.300Z', {
      env: { MARKET_SOURCES: 'coingecko' },
    });
    await market.latest('bitcoin');
    sandbox.faults.always({ kind: 'status', status: 500 }, { path: 'market_chart' });
    await expect(market.date('bitcoin', date('2026-05-15'), 'json')).rejects.toMatchObject({ status: 503 });
  });
});

describe('a range', () => {
  test('in the past has both its dates, and no latest sample', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z');
    const response = await market.range('bitcoin', 'day', date('2026-05-12'), date('2026-05-14'), 'json');
    expect(timesOf(response)).toEqual(['2026-05-12', '2026-05-13', '2026-05-14'].map(date));
    expect(response.modifiedAt).toBe(date('2026-05-14'));
  });

  test.each(['2026-05-15', '2026-05-16', '9999-12-31'])('thru %s ends with the latest sample', async (thru) => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z');
    const response = await market.range('bitcoin', 'day', date('2026-05-14'), date(thru), 'json');
    const times = [date('2026-05-14'), date('2026-05-15'), Date.parse('2026-05-15T14:42:25Z')];
    expect(timesOf(response)).toEqual(times);
    expect(response.modifiedAt).toBe(times[2]);
  });

  test('ends with the newest sample, whichever call returned it', async () => {
    const { clock, market } = await openAt('2026-05-15T14:42:25.300Z');
    const range = () => market.range('bitcoin', 'day', date('2026-05-14'), date('2026-05-15'), 'json');
    await range();
    clock.advance(90 * MINUTE);
    await market.latest('bitcoin');
    await market.idle();
    const latest = await market.latest('bitcoin');
    expect((await range()).modifiedAt).toBe(latest.modifiedAt);
    expect(received(await range()).prices.at(-1)?.price).toBe(
      JSON.parse(String(latest.body.identity.payload)).current_price,
    );
  });

  test('of hours within one date has only the hours of that date', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z');
    const response = await market.range('bitcoin', 'hour', date('2026-05-03'), date('2026-05-03'), 'json');
    const hours = timesOf(response).map((at) => Math.floor((at - date('2026-05-03')) / HOUR));
    expect(hours).toEqual([...Array(24).keys()]);
  });
});

test('a response’s text is rebuilt if its values change, and reused if not', async () => {
  const { clock, market } = await openAt('2026-05-15T14:42:25.300Z');
  const etag = async () => (await market.days('bitcoin', 30, 'json')).body.identity.etag;
  const first = await etag();
  expect(await etag()).toBe(first);
  clock.advance(2 * MINUTE);
  await market.latest('bitcoin');
  await market.idle();
  expect(await etag()).not.toBe(first);
});

describe.each([
  ['series', 'market'],
  ['candles', 'candles'],
] as const)('%s in a form of their own', (_, by) => {
  test('are rendered once while nothing new is stored', async () => {
    const { clock, ...parts } = await openAt('2026-05-15T14:42:25.300Z');
    let rendered = 0;
    const form = {
      name: 'count',
      *render({ at }: { at: Float64Array }) {
        rendered += 1;
        yield String(at.length);
      },
    };
    const read = async (from = date('2026-05-01')) => {
      const range = [from, date('2026-05-10')] as const;
      const response = await (by === 'market'
        ? parts.market.rangeAs(form, 'bitcoin', 'day', ...range)
        : parts.candles.rangeAs(form, 'bitcoin', 'daily', ...range));
      return String(response.body.identity.payload);
    };
    // The first response needed a fetch. Its body is reused.
    for (let i = 0; i < 3; i += 1) expect(await read()).toBe('10');
    clock.advance(10 * SECOND);
    expect(await read()).toBe('10');
    expect(rendered).toBe(1);
    expect(await read(date('2026-05-02'))).toBe('9');
    expect(rendered).toBe(2);
  });
});
