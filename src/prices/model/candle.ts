import { DAY, HOUR, MINUTE, type Span, startOfDate } from '#core/clock';
import { memberNames } from '#core/names';
import { type Implausible, implausible } from '#upstream/items/plausible';
import { INTERVALS, type Interval, rangeWindow, type Window } from './interval.ts';
import { type ColumnsOf, type Layout, layoutOf } from './series.ts';

/** `at` is the start in Unix ms. Prices are in US dollars, `volume` in tokens. Without trades, `volume` is 0. */
export type Candle = { at: number; open: number; high: number; low: number; close: number; volume: number };

export type CandleMinutes = 1 | 5 | 60 | 1440;

/** Minute candles span five minutes, like CoinGecko's samples. */
export const CANDLE_MINUTES = { minute: 5, hour: 60, day: 1440 } as const satisfies Record<Interval, CandleMinutes>;

export const candleLength = (interval: Interval): number => CANDLE_MINUTES[interval] * MINUTE;

/** Finished candles in ascending order. They are complete for the span `covers`. */
export type SourcedCandles = { candles: Candle[]; covers: Span | undefined };

/** The reason why a candle is implausible, if there is one. `beginning` and `now` are in Unix ms; `length` is in ms. */
export function implausibleCandle(
  beginning: number,
  { at, open, high, low, close, volume }: Candle,
  length: number,
  now: number,
): Implausible | undefined {
  const reason = implausible(beginning, { at: at + length, price: close }, now);
  if (reason) return reason;
  if (at % length !== 0) return 'off_grid';
  const isRange = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
  return isRange && high < Number.POSITIVE_INFINITY && volume >= 0 && volume < Number.POSITIVE_INFINITY
    ? undefined
    : 'price';
}

/** A final candle never changes. */
export type StoredCandle = Candle & { final: boolean };
export type CandleColumns = ColumnsOf<'open' | 'high' | 'low' | 'close' | 'volume'>;
export const CANDLES: Layout<CandleColumns, StoredCandle> = layoutOf(['open', 'high', 'low', 'close', 'volume'], {});

type CandleIntervalFacts = {
  /** The length in ms, which is a multiple of a stored interval's length. */
  length: number;
  words: string;
  title: string;
  /** The start of any candle, in Unix ms. The default is 1 January 1970. */
  origin?: number;
};

/** The intervals of candles, from fine to coarse. Intervals that are not stored are computed from stored candles. */
export const CANDLE_INTERVALS = {
  minute: { length: 5 * MINUTE, words: 'five minutes', title: 'Minute' },
  '15m': { length: 15 * MINUTE, words: '15 minutes', title: '15 min' },
  '30m': { length: 30 * MINUTE, words: '30 minutes', title: '30 min' },
  hourly: { length: HOUR, words: 'an hour', title: 'Hourly' },
  '4h': { length: 4 * HOUR, words: 'four hours', title: '4 h' },
  daily: { length: DAY, words: 'a day', title: 'Daily' },
  // 1 January 1970 was a Thursday.
  weekly: { length: 7 * DAY, words: 'a week from Monday', title: 'Weekly', origin: 4 * DAY },
} as const satisfies Readonly<Record<string, CandleIntervalFacts>>;

export type CandleInterval = keyof typeof CANDLE_INTERVALS;
export const CANDLE_INTERVAL_NAMES = memberNames(CANDLE_INTERVALS);

export const factsOfCandleInterval = (name: CandleInterval): CandleIntervalFacts => CANDLE_INTERVALS[name];

/** The names with their lengths, for descriptions. */
export const intervalsInWords = (): string =>
  CANDLE_INTERVAL_NAMES.map((name) => `\`${name}\` (${CANDLE_INTERVALS[name].words})`).join(', ');

/** The coarsest stored interval from which candles can be computed. */
export const storedIntervalOf = (name: CandleInterval): Interval =>
  INTERVALS.findLast((interval) => CANDLE_INTERVALS[name].length % candleLength(interval) === 0) as Interval;

/** The start of the candle that contains an instant. */
export function candleStart(name: CandleInterval, at: number): number {
  const { length, origin = 0 } = factsOfCandleInterval(name);
  return Math.floor((at - origin) / length) * length + origin;
}

/** A window of stored candles, and the interval for which they are read. */
export type CandleWindow = Window & { candles: CandleInterval };

/**
 * The window of stored candles for all candles that start between two dates, inclusive (Unix ms of their midnights).
 * The last candle can end later. If no candle starts in this period, the span is empty.
 */
export function candleWindow(name: CandleInterval, fromDate: number, thruDate: number, now: number): CandleWindow {
  const { length } = factsOfCandleInterval(name);
  const from = candleStart(name, fromDate - 1) + length;
  const end = candleStart(name, thruDate + DAY - 1) + length;
  return { ...rangeWindow(storedIntervalOf(name), from, startOfDate(end - 1), now), candles: name };
}

/** Whether the candles of a window are stored candles. */
export const isStored = ({ interval, candles }: CandleWindow): boolean =>
  candleLength(interval) === CANDLE_INTERVALS[candles].length;

/** The finished candles of a window, as spans. */
export function* finishedCandles({ candles, span }: CandleWindow, now: number): Generator<Span> {
  const { length } = factsOfCandleInterval(candles);
  for (let from = span.from; from + length <= Math.min(now, span.thru + 1); from += length)
    yield { from, thru: from + length - 1 };
}
