import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { candleGaps, isCandleSettled, planCandles, runningCandle } from '#prices/candles/candle-facts';

const at = (iso: string) => Date.parse(iso);
const NOW = at('2026-05-15T14:42:25Z');
const reach = NOW - 720 * HOUR;
const hours = (from: string, thru: string) => ({ from: at(from), thru: at(thru) });
const today = { from: at('2026-05-15'), thru: NOW };
const all = { from: 0, thru: at('2026-05-15T14:00:00Z') - 1 };

const known = {
  now: NOW,
  interval: 'hour' as const,
  coverage: [all],
  unsettledFrom: undefined as number | undefined,
  reach,
  keptFrom: Number.NEGATIVE_INFINITY,
  fetchedAt: NOW - 10 * MINUTE,
};

test('a candle is settled if it is fetched an hour after its end', () => {
  const begin = at('2026-05-15T12:00:00Z');
  expect(isCandleSettled(begin, HOUR, begin + 2 * HOUR - 1)).toBe(false);
  expect(isCandleSettled(begin, HOUR, begin + 2 * HOUR)).toBe(true);
});

test.each([
  ['minute', '2026-05-15T14:40:00Z'],
  ['hour', '2026-05-15T14:00:00Z'],
  ['day', '2026-05-15T00:00:00Z'],
] as const)('the current candle of a %s', (interval, begin) => {
  expect(runningCandle(interval, NOW)).toBe(at(begin));
  expect(runningCandle(interval, at(begin))).toBe(at(begin));
  expect(runningCandle(interval, at(begin) - 1)).toBeLessThan(at(begin));
});

test('a gap contains finished, unknown candles, and never the current candle', () => {
  const coverage = [hours('2026-05-15T02:00:00Z', '2026-05-15T12:59:59.999Z')];
  expect(candleGaps(today, today.from, { ...known, coverage })).toEqual([
    hours('2026-05-15T00:00:00Z', '2026-05-15T01:59:59.999Z'),
    hours('2026-05-15T13:00:00Z', '2026-05-15T13:59:59.999Z'),
  ]);
  expect(candleGaps(today, 0, known)).toEqual([]);
  expect(candleGaps({ from: at('2026-05-15T14:00:00Z'), thru: NOW }, 0, { ...known, coverage: [] })).toEqual([]);
});

describe('a window', () => {
  test('with known, settled candles needs no fetch', () => {
    expect(planCandles(today, known)).toBeUndefined();
  });

  test('without known candles waits for all candles that Kraken provides', () => {
    const plan = planCandles(today, { ...known, coverage: [] });
    expect(plan).toEqual({ from: undefined, wait: 'end' });
  });

  test('that lacks only the newest candle waits briefly, and requests only that candle', () => {
    const coverage = [{ from: 0, thru: at('2026-05-15T13:00:00Z') - 1 }];
    expect(planCandles(today, { ...known, coverage })).toEqual({
      from: at('2026-05-15T13:00:00Z'),
      wait: 'moment',
    });
  });

  test('with a candle that can be settled does not wait for it', () => {
    const unsettledFrom = at('2026-05-15T12:00:00Z');
    expect(planCandles(today, { ...known, unsettledFrom })).toEqual({ from: unsettledFrom, wait: 'none' });
    expect(planCandles(today, { ...known, unsettledFrom: unsettledFrom + HOUR })).toBeUndefined();
    const before = { from: at('2026-05-14'), thru: at('2026-05-15') - 1 };
    expect(planCandles(before, { ...known, unsettledFrom })).toBeUndefined();
  });

  test('that was fetched within the last minute needs no fetch, even if it is incomplete', () => {
    expect(planCandles(today, { ...known, coverage: [], fetchedAt: NOW - MINUTE + 1 })).toBeUndefined();
    expect(planCandles(today, { ...known, coverage: [], fetchedAt: NOW - MINUTE })).toBeDefined();
  });

  test('before the retention period needs no fetch, and one partly within it requests that part', () => {
    const keptFrom = at('2026-05-15T03:30:00Z');
    const nothing = { ...known, coverage: [], keptFrom };
    expect(planCandles(today, nothing)).toEqual({ from: at('2026-05-15T04:00:00Z'), wait: 'end' });
    expect(planCandles({ ...today, thru: keptFrom }, nothing)).toBeUndefined();
    const unsettledFrom = at('2026-05-15T04:00:00Z');
    expect(planCandles(today, { ...nothing, unsettledFrom })).toEqual({ from: unsettledFrom, wait: 'end' });
    // The store has more candles than Kraken provides.
    expect(planCandles(today, { ...nothing, keptFrom: reach - DAY })).toEqual({
      from: undefined,
      wait: 'end',
    });
  });

  test('before Kraken’s data needs no fetch', () => {
    const old = { from: at('2020-01-01'), thru: at('2020-01-01') + DAY - 1 };
    expect(planCandles(old, { ...known, coverage: [] })).toBeUndefined();
  });
});
