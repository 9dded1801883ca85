import { HOUR, MINUTE } from '#core/clock';
import { overlap, type Span, without } from '#core/span';
import { candleLength } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import { ageAt, type Wait } from '#upstream/freshness';

/** A candle is settled once it was told so long after its end, in ms: younger ones have been seen to change. */
const SETTLES_AFTER = HOUR;
/** Candles are asked for again after this at the soonest, in ms: the newest may come a moment late. */
const ASKED_AGAIN = MINUTE;
/** Of what the venue tells, the oldest candles that are not asked for: they are gone when the answer comes. */
const EDGE = 2;

/** What is known of the candles of a token and an interval, as of `now`; instants in Unix ms. */
type KnownCandles = {
  now: number;
  interval: Interval;
  /** The spans of which the venue has told all. */
  coverage: readonly Span[];
  /** The beginning of the first candle that may still change, of those that may be asked for (`firstAsked`). */
  unsettledFrom: number | undefined;
  /** The earliest instant of which the venue tells candles. */
  reach: number;
  /** The earliest instant of which candles are kept; -Infinity where all are. */
  keptFrom: number;
  fetchedAt: number | undefined;
};

/**
 * What to fetch for a window: the candles from an instant on, all that the venue tells where that is undefined; and
 * until when the answer waits for them.
 */
type PlannedCandles = { from: number | undefined; wait: Wait };

/** Whether a candle is final once it was fetched at an instant. */
export const isCandleSettled = (at: number, length: number, fetchedAt: number): boolean =>
  fetchedAt >= at + length + SETTLES_AFTER;

/** The beginning of the running candle. */
export const runningCandle = (interval: Interval, now: number): number =>
  Math.floor(now / candleLength(interval)) * candleLength(interval);

const firstTold = (interval: Interval, reach: number): number =>
  Math.ceil(reach / candleLength(interval) + EDGE) * candleLength(interval);

/** The beginning of the first candle that is asked for: of those before, the venue tells none, or none is kept. */
export const firstAsked = (
  interval: Interval,
  { reach, keptFrom }: Pick<KnownCandles, 'reach' | 'keptFrom'>,
): number =>
  Math.max(firstTold(interval, reach), Math.ceil(keptFrom / candleLength(interval)) * candleLength(interval));

/** The parts of a span of which candles are finished and not known, from an instant on. */
export function candleGaps(
  span: Span,
  from: number,
  { now, interval, coverage }: Pick<KnownCandles, 'now' | 'interval' | 'coverage'>,
): Span[] {
  const finished = overlap(span, { from, thru: runningCandle(interval, now) - 1 });
  return finished ? without(finished, coverage) : [];
}

/**
 * What to fetch for a window, if anything. What is missing is waited for; for the newest candle alone the answer waits
 * a moment, and for what has only to be settled not at all. One call brings all that is needed.
 */
export function planCandles(span: Span, known: KnownCandles): PlannedCandles | undefined {
  const { now, interval, unsettledFrom, reach, fetchedAt } = known;
  if (ageAt(fetchedAt, now) < ASKED_AGAIN) return undefined;
  const length = candleLength(interval);
  const first = firstAsked(interval, known);
  const running = runningCandle(interval, now);
  const gaps = candleGaps(span, first, known);
  const unsettled = unsettledFrom ?? running;
  const isUnsettled = unsettled <= span.thru && isCandleSettled(unsettled, length, now);
  const [gap] = gaps;
  if (!gap && !isUnsettled) return undefined;
  // From the oldest that is wanted of the whole series: so the next window needs no call.
  const [missing = gap] = candleGaps({ from: first, thru: now }, first, known);
  const oldest = Math.min(missing?.from ?? running, unsettled);
  const from = oldest === firstTold(interval, reach) ? undefined : oldest;
  if (!gap) return { from, wait: 'none' };
  const isNewestAlone = gap.from >= running - length && span.from < gap.from;
  return { from, wait: isNewestAlone ? 'moment' : 'end' };
}
