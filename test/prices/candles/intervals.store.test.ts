import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iso, MINUTE } from '#core/clock';
import { CANDLE_INTERVAL_NAMES, CANDLE_INTERVALS, type CandleInterval } from '#prices/model/candle';
import { type FaultyUpstreamService, startWithFaultyUpstream } from '../../support/service/chaos.ts';

/* Candles of every interval, over HTTP. */

/** A Friday. */
const NOW = '2026-05-15T14:10:06Z';

let service: FaultyUpstreamService;
beforeAll(async () => {
  service = await startWithFaultyUpstream({ start: NOW });
});
afterAll(() => service?.close());

type Candle = Record<'open' | 'high' | 'low' | 'close' | 'volume', number> & { date: string };
const path = (interval: string, fromDate: string, thruDate: string, more = '') =>
  `/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=${fromDate}&thruDate=${thruDate}&interval=${interval}${more}`;

async function read(interval: string, fromDate: string, thruDate: string, more = '') {
  const { status, body, header, code } = await service.ask(path(interval, fromDate, thruDate, more));
  return { status, code, header, candles: status === 200 ? (JSON.parse(body) as Candle[]) : [] };
}

const timesOf = (candles: readonly Candle[]) => candles.map(({ date }) => Date.parse(date));

function combined(candles: readonly Candle[]): Omit<Candle, 'date'> {
  return {
    open: candles[0]?.open as number,
    high: Math.max(...candles.map(({ high }) => high)),
    low: Math.min(...candles.map(({ low }) => low)),
    close: candles.at(-1)?.close as number,
    volume: candles.reduce((sum, { volume }) => sum + volume, 0),
  };
}

describe('candles', () => {
  it.each([
    ['minute', '2026-05-14', 288],
    ['15m', '2026-05-14', 96],
    ['30m', '2026-05-14', 48],
    ['hourly', '2026-05-14', 24],
    ['4h', '2026-05-14', 6],
    ['daily', '2026-05-14', 1],
    ['weekly', '2026-05-04', 1],
  ] as const)('%s of a date are complete, final and without gaps', async (interval, date, count) => {
    const { status, candles, header } = await read(interval, date, date);
    expect(status).toBe(200);
    const { length } = CANDLE_INTERVALS[interval];
    expect(timesOf(candles)).toEqual(Array.from({ length: count }, (_, i) => Date.parse(date) + i * length));
    expect(header('quotient-gaps')).toBeUndefined();
    expect(header('cache-control')).toMatch(/immutable/);
    expect(header('last-modified')).toBe(new Date(Date.parse(date) + count * length).toUTCString());
    const csv = await service.ask(path(interval, date, date, '&format=csv'));
    expect(csv.body.trimEnd().split('\r\n')).toHaveLength(count + 1);
  });

  it.each([
    ['15m', 'minute', 3],
    ['30m', 'minute', 6],
    ['4h', 'hourly', 4],
    ['weekly', 'daily', 7],
  ] as const)('%s are computed from %s candles', async (interval, finer, count) => {
    const [from, thru, end] =
      interval === 'weekly'
        ? (['2026-05-04', '2026-05-04', '2026-05-10'] as const)
        : (['2026-05-14', '2026-05-14', '2026-05-14'] as const);
    const { candles } = await read(interval, from, thru);
    const { candles: parts } = await read(finer, from, end);
    expect(parts).toHaveLength(candles.length * count);
    for (const [i, { date, ...figures }] of candles.entries()) {
      const mine = parts.slice(i * count, (i + 1) * count);
      expect(date).toBe(mine[0]?.date);
      expect(figures).toEqual({ ...combined(mine), volume: expect.closeTo(figures.volume, 9) });
      expect(figures.volume).toBeCloseTo(combined(mine).volume, 6);
    }
  });

  it.each(['15m', '30m', '4h'] as const)('%s of today are the finished ones', async (interval) => {
    const { candles, header } = await read(interval, '2026-05-15', '2026-06-01');
    const { length } = CANDLE_INTERVALS[interval];
    const ends = timesOf(candles).map((at) => at + length);
    expect(ends.at(-1)).toBe(Math.floor(Date.parse(NOW) / length) * length);
    expect(header('cache-control')).toMatch(/^private, max-age=\d+/);
    expect(header('quotient-gaps')).toBeUndefined();
  });

  it('weekly omit the current week, and have none for dates without a Monday', async () => {
    const { candles } = await read('weekly', '2026-04-20', '2026-05-15');
    expect(timesOf(candles).map((at) => iso(at).slice(0, 10))).toEqual(['2026-04-20', '2026-04-27', '2026-05-04']);
    expect(await read('weekly', '2026-05-05', '2026-05-08')).toMatchObject({ status: 404, code: 'no_data' });
    expect(await read('weekly', '2026-05-11', '2026-05-15')).toMatchObject({ status: 404, code: 'no_data' });
  });

  it('in another currency are converted before they are combined', async () => {
    const { candles } = await read('weekly', '2026-05-04', '2026-05-04', '&currency=eur');
    const { candles: days } = await read('daily', '2026-05-04', '2026-05-10', '&currency=eur');
    const { volume, ...prices } = combined(days);
    expect(candles).toEqual([{ date: days[0]?.date, ...prices, volume: expect.closeTo(volume, 6) }]);
    const bitcoins = await service.ask(
      `/v1/prices/history/ohlc?tokenName=ethereum&fromDate=2026-05-14&thruDate=2026-05-14&interval=4h&currency=btc`,
    );
    expect(JSON.parse(bitcoins.body)).toHaveLength(6);
  });

  it('with an unknown interval are rejected with the list of intervals', async () => {
    const response = await service.get(path('5m', '2026-05-14', '2026-05-14'), { key: service.key });
    const { errors } = (await response.json()) as { errors: { fix: string }[] };
    expect(response.status).toBe(400);
    for (const name of CANDLE_INTERVAL_NAMES) expect(errors[0]?.fix).toContain(name);
  });
});

describe('a candle whose span is not covered completely', () => {
  /** Kraken provides the newest 720 candles of five minutes: those since about 02:10 two days and a half ago. */
  const oldest = (interval: CandleInterval) => {
    const reach = Date.parse('2026-05-15T14:10:00Z') - 720 * 5 * MINUTE;
    const { length } = CANDLE_INTERVALS[interval];
    return Math.ceil(reach / length) * length;
  };

  it.each(['15m', '30m'] as const)('%s is a gap', async (interval) => {
    const { candles, header } = await read(interval, '2026-05-12', '2026-05-14');
    const { length } = CANDLE_INTERVALS[interval];
    const [first = 0] = timesOf(candles);
    expect(first).toBeGreaterThanOrEqual(oldest(interval));
    expect(first).toBeLessThanOrEqual(oldest(interval) + 2 * length);
    expect(first % length).toBe(0);
    expect(header('quotient-gaps')).toBe(`${iso(Date.parse('2026-05-12'))}/${iso(first - 1)}`);
    expect(header('cache-control')).not.toMatch(/immutable/);
  });

  it('is not returned alone: a range without a complete candle is 404 with the gaps', async () => {
    const old = await service.ask(path('15m', '2024-01-01', '2024-01-01'));
    expect([old.status, old.code]).toEqual([404, 'no_data']);
    expect((JSON.parse(old.body) as { gaps: string[] }).gaps).toHaveLength(1);
  });
});
