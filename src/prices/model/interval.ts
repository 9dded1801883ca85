import { DAY, HOUR, iso, isoDate, MINUTE, overlap, type Span, startOfDate, union, without } from '#core/clock';
import { FIRST_BLOCK } from '#upstream/plausible';

export type Interval = 'minute' | 'hour' | 'day';
export const INTERVALS = ['minute', 'hour', 'day'] as const satisfies readonly Interval[];
const SLOT = { minute: MINUTE, hour: HOUR, day: DAY } as const;

/** The spacing of CoinGecko's samples, in ms. A shorter span may contain no sample. */
const SPACING = { minute: 5 * MINUTE, hour: HOUR } as const;

/** The spacing of the samples, in ms. */
export const spacingOf = (interval: Interval): number => (interval === 'day' ? DAY : SPACING[interval]);
export const samplesIn = (interval: Interval, { from, thru }: Span): number => (thru - from + 1) / spacingOf(interval);

/** An uncovered span is a gap if it must contain a sample. A day's sample is at midnight. */
export function isGap(interval: Interval, { from, thru }: Span): boolean {
  return interval === 'day' ? startOfDate(from + DAY - 1) <= thru : thru - from + 1 >= SPACING[interval];
}

/** The start of the minute, hour or UTC date of an instant. */
export function slotOf(interval: Interval, at: number): number {
  return Math.floor(at / SLOT[interval]) * SLOT[interval];
}

/** CoinGecko's midnight samples are sometimes minutes late. */
const LATE = HOUR;

/** A sample at another time is its date's row until a midnight sample exists. */
export function isMidnightSample(at: number): boolean {
  return at - startOfDate(at) < LATE;
}

/**
 * CoinGecko provides the last day from 00:35 UTC and caches responses until 00:40. Finer samples count as final after
 * two hours. A daily row that is not at midnight is never final.
 */
export function isSettled(interval: Interval, at: number, fetchedAt: number): boolean {
  if (interval === 'day') return isMidnightSample(at) && fetchedAt >= dayReady(at);
  return fetchedAt > at + 2 * HOUR;
}

/** When the daily row of the date that contains `at` is final. */
export function dayReady(at: number): number {
  return startOfDate(at) + 40 * MINUTE;
}

/**
 * `open`: later samples are included, so that none is lost if the clock is behind CoinGecko's. `withLatest`: the newest
 * sample is appended.
 */
export type Window = { interval: Interval; span: Span; open: boolean; withLatest: boolean };

/** The window of `history/days`: `days` is an integer from 1, and `now` is in Unix ms. */
export function daysWindow(days: number, now: number): Window {
  if (days > 10) {
    const from = startOfDate(now) - (days - 1) * DAY;
    return { interval: 'day', span: { from, thru: now }, open: true, withLatest: true };
  }
  const span = { from: now - days * DAY, thru: now };
  return { interval: days === 1 ? 'minute' : 'hour', span, open: true, withLatest: false };
}

/** The window of `history/date/range`: both dates (Unix ms of their midnights) are included. */
export function rangeWindow(interval: Interval, fromDate: number, thruDate: number, now: number): Window {
  const open = thruDate >= startOfDate(now);
  const thru = open ? now : thruDate + DAY - 1;
  return { interval, span: { from: fromDate, thru }, open, withLatest: open && interval === 'day' };
}

/** The complete spans of a series as of now, from its stored coverage: after the first block, and not in the future. */
export function completeSpans(coverage: readonly { span: Span }[], interval: Interval, now: number): Span[] {
  const knowable = { from: FIRST_BLOCK, thru: lastKnowable(interval, now) };
  return union(coverage.flatMap(({ span }) => overlap(span, knowable) ?? []));
}

/** The last instant with known data at `now`: a day counts only once its row is ready. */
export function lastKnowable(interval: Interval, now: number): number {
  if (interval !== 'day') return now;
  return now >= dayReady(now) ? startOfDate(now) + DAY - 1 : startOfDate(now) - 1;
}

/** The known data of a series at `now`; instants in Unix ms. */
export type Known = {
  now: number;
  /** The first instant that can have data. */
  beginning: number;
  /** The complete spans. */
  coverage: readonly Span[];
};

/** The uncovered parts of a span that must contain a sample, ascending. */
export function gapsIn(interval: Interval, span: Span, { now, beginning, coverage }: Known): Span[] {
  const knowable = overlap(span, { from: beginning, thru: lastKnowable(interval, now) });
  return knowable ? without(knowable, coverage).filter((gap) => isGap(interval, gap)) : [];
}

/** An entry of `Quotient-Gaps`: dates for days, instants for finer intervals, both ends included. */
export function spanText(interval: Interval, { from, thru }: Span): string {
  const text = interval === 'day' ? isoDate : iso;
  return `${text(from)}/${text(thru)}`;
}
