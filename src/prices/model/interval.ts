import { DAY, HOUR, iso, isoDate, MINUTE, overlap, type Span, startOfDate, without } from '#core/clock';
import { FIRST_BLOCK } from '#upstream/plausible';

/** How far apart the samples of a series lie. */
export type Interval = 'minute' | 'hour' | 'day';
export const INTERVALS = ['minute', 'hour', 'day'] as const satisfies readonly Interval[];

const SLOT = { minute: MINUTE, hour: HOUR, day: DAY } as const;

/** How far apart the aggregator's samples lie, in ms: a shorter span need not hold one. */
const SPACING = { minute: 5 * MINUTE, hour: HOUR } as const;

/** How far apart the samples of an interval lie, in ms. */
export const spacingOf = (interval: Interval): number => (interval === 'day' ? DAY : SPACING[interval]);

/** How many samples the aggregator has in a span. */
export const samplesIn = (interval: Interval, { from, thru }: Span): number => (thru - from + 1) / spacingOf(interval);

/** Whether an uncovered span is a gap: it must hold a sample; a day's sample is at midnight. */
export function isGap(interval: Interval, { from, thru }: Span): boolean {
  return interval === 'day' ? startOfDate(from + DAY - 1) <= thru : thru - from + 1 >= SPACING[interval];
}

/** The start of the slot (minute, hour or UTC date) in which an instant lies. */
export function slotOf(interval: Interval, at: number): number {
  return Math.floor(at / SLOT[interval]) * SLOT[interval];
}

/** How late after midnight a sample may be and still be a midnight's: the aggregator is minutes late at times. */
const LATE = HOUR;

/**
 * Whether a sample of a daily series is that of its date's midnight. A date may have another sample alone, at any time:
 * that is its row until there is one of midnight.
 */
export function isMidnightSample(at: number): boolean {
  return at - startOfDate(at) < LATE;
}

/**
 * Whether a sample is final once it was fetched at `fetchedAt`. The aggregator has the day that ended from 00:35
 * UTC and caches it until 00:40; its finer samples are taken to be final two hours after their own time. A daily row of
 * another time than midnight never is.
 */
export function isSettled(interval: Interval, at: number, fetchedAt: number): boolean {
  if (interval === 'day') return isMidnightSample(at) && fetchedAt >= dayReady(at);
  return fetchedAt > at + 2 * HOUR;
}

/** When the daily row of the date in which `at` lies is final. */
export function dayReady(at: number): number {
  return startOfDate(at) + 40 * MINUTE;
}

/**
 * What a request asks for: the samples of an interval in a span. `open`: the span runs up to now and its end is no
 * bound, so that no sample is lost to a clock a second behind the aggregator's. `withLatest`: the newest sample of
 * all follows as the last point.
 */
export type Window = { interval: Interval; span: Span; open: boolean; withLatest: boolean };

/** The window of `history/days`: `days` is an integer from 1; `now` in Unix ms. */
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

/** The plausible part of covered time: nothing is known of the future, nor of before the first block. */
export const knowablePart = (interval: Interval, span: Span, now: number): Span | undefined =>
  overlap(span, { from: FIRST_BLOCK, thru: lastKnowable(interval, now) });

/** The last instant of which an interval can be known at `now`: a day only when its row is ready. */
export function lastKnowable(interval: Interval, now: number): number {
  if (interval !== 'day') return now;
  return now >= dayReady(now) ? startOfDate(now) + DAY - 1 : startOfDate(now) - 1;
}

/** What is known of a series at `now`, and what can be; instants in Unix ms. */
export type Known = {
  now: number;
  /** The first instant of which anything can be known. */
  beginning: number;
  /** The spans of which all is known. */
  coverage: readonly Span[];
};

/** The parts of a span that must hold a sample and are not covered, ascending. */
export function gapsIn(interval: Interval, span: Span, { now, beginning, coverage }: Known): Span[] {
  const knowable = overlap(span, { from: beginning, thru: lastKnowable(interval, now) });
  return knowable ? without(knowable, coverage).filter((gap) => isGap(interval, gap)) : [];
}

/** A span as `Quotient-Gaps` names it: dates for days, instants for finer intervals, both ends included. */
export function spanText(interval: Interval, { from, thru }: Span): string {
  const text = interval === 'day' ? isoDate : iso;
  return `${text(from)}/${text(thru)}`;
}
