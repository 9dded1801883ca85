import { DAY, HOUR, MINUTE } from './clock.ts';
import type { Span } from './span.ts';

/** How far apart the samples of a series lie. */
export type Grain = 'minute' | 'hour' | 'day';
export const GRAINS = ['minute', 'hour', 'day'] as const satisfies readonly Grain[];

const SLOT = { minute: MINUTE, hour: HOUR, day: DAY } as const;

/** How far apart the aggregator's samples lie, in ms: what is shorter than this need not hold one. */
const SPACING = { minute: 5 * MINUTE, hour: HOUR } as const;

/** Whether a span must hold a sample, so that it is missing when nothing is known of it: a day's is at midnight. */
export function isGap(grain: Grain, { from, thru }: Span): boolean {
  return grain === 'day' ? startOfDate(from + DAY - 1) <= thru : thru - from + 1 >= SPACING[grain];
}

/** The start of the slot (minute, hour or UTC date) in which an instant lies. */
export function slotOf(grain: Grain, at: number): number {
  return Math.floor(at / SLOT[grain]) * SLOT[grain];
}

export function startOfDate(at: number): number {
  return slotOf('day', at);
}

/**
 * Whether a sample is final once it was fetched at `fetchedAt`. The aggregator has the day that ended from 00:35
 * UTC and caches it until 00:40; its finer samples are taken to be final two hours after their own time.
 */
export function isSettled(grain: Grain, at: number, fetchedAt: number): boolean {
  return grain === 'day' ? fetchedAt >= dayReady(at) : fetchedAt > at + 2 * HOUR;
}

/** When the daily row of the date in which `at` lies is final. */
export function dayReady(at: number): number {
  return startOfDate(at) + 40 * MINUTE;
}

/**
 * What a request asks for: the samples of a grain in a span. `open` when the span runs up to now: then its end is
 * not a bound, so that a sample is not lost to a clock that is a second behind the aggregator's.
 * `withLatest` when the newest sample of all follows as the last point.
 */
export type Window = { grain: Grain; span: Span; open: boolean; withLatest: boolean };

/** The window of `history/days`: `days` is an integer from 1; `now` in Unix ms. */
export function daysWindow(days: number, now: number): Window {
  if (days > 10) {
    const from = startOfDate(now) - (days - 1) * DAY;
    return { grain: 'day', span: { from, thru: now }, open: true, withLatest: true };
  }
  const span = { from: now - days * DAY, thru: now };
  return { grain: days === 1 ? 'minute' : 'hour', span, open: true, withLatest: false };
}

/** The window of `history/date/range`: both dates (Unix ms of their midnights) are included. */
export function rangeWindow(grain: Grain, fromDate: number, thruDate: number, now: number): Window {
  const open = thruDate >= startOfDate(now);
  const thru = open ? now : thruDate + DAY - 1;
  return { grain, span: { from: fromDate, thru }, open, withLatest: open && grain === 'day' };
}

/** The last instant of which a grain can be known at `now`: a day only when its row is ready. */
export function lastKnowable(grain: Grain, now: number): number {
  if (grain !== 'day') return now;
  return now >= dayReady(now) ? startOfDate(now) + DAY - 1 : startOfDate(now) - 1;
}
