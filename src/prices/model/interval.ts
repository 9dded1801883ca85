import { DAY, HOUR, iso, isoDate, MINUTE, overlap, type Span, startOfDate, subtractSpans, union } from '#core/clock';
import { FIRST_BLOCK } from '#upstream/items/plausible';

export type Interval = 'minute' | 'hour' | 'day';
export const INTERVALS = ['minute', 'hour', 'day'] as const satisfies readonly Interval[];
const SLOT = { minute: MINUTE, hour: HOUR, day: DAY } as const;

/** The distance between CoinGecko's samples, in ms. A shorter span may contain no sample. */
const SPACING = { minute: 5 * MINUTE, hour: HOUR } as const;

/** The distance between samples, in ms. */
export const spacingOf = (interval: Interval): number => (interval === 'day' ? DAY : SPACING[interval]);
export const samplesIn = (interval: Interval, { from, thru }: Span): number => (thru - from + 1) / spacingOf(interval);

/** An uncovered span is a gap if it must contain a sample. A day's sample is at midnight. */
export function isGap(interval: Interval, { from, thru }: Span): boolean {
  return interval === 'day' ? startOfDate(from + DAY - 1) <= thru : thru - from + 1 >= SPACING[interval];
}

export function intervalStart(interval: Interval, at: number): number {
  return Math.floor(at / SLOT[interval]) * SLOT[interval];
}

/** CoinGecko's midnight samples are sometimes minutes early or late. */
const MIDNIGHT_TOLERANCE = 10 * MINUTE;

/** The midnight (Unix ms) whose sample a response's sample can be. Undefined for a sample at another time of day. */
export function midnightOf(at: number): number | undefined {
  const midnight = startOfDate(at + MIDNIGHT_TOLERANCE);
  return Math.abs(at - midnight) <= MIDNIGHT_TOLERANCE ? midnight : undefined;
}

/** Stored and imported rows keep their own time, which is sometimes minutes after midnight. */
const LATE = HOUR;

/** A row that is not at midnight is its date's row only until a midnight row exists. */
export function isMidnightSample(at: number): boolean {
  return at - startOfDate(at) < LATE;
}

/** CoinGecko caches responses until 00:40 UTC. A daily row that is not at midnight is never final. */
export function isSettled(interval: Interval, at: number, fetchedAt: number): boolean {
  if (interval === 'day') return isMidnightSample(at) && fetchedAt >= dayReady(at);
  return fetchedAt > at + 2 * HOUR;
}

export function dayReady(at: number): number {
  return startOfDate(at) + 40 * MINUTE;
}

/** If `open`, samples after the end count: clocks may differ. `withLatest` appends the newest sample. */
export type Window = { interval: Interval; span: Span; open: boolean; withLatest: boolean };

/** The window of `history/days`. `days` is an integer from 1; `now` is in Unix ms. */
export function daysWindow(days: number, now: number): Window {
  if (days > 10) {
    const from = startOfDate(now) - (days - 1) * DAY;
    return { interval: 'day', span: { from, thru: now }, open: true, withLatest: true };
  }
  const span = { from: now - days * DAY, thru: now };
  return { interval: days === 1 ? 'minute' : 'hour', span, open: true, withLatest: false };
}

/** The window of `history/date/range`, which includes both dates (Unix ms of their midnights). */
export function rangeWindow(interval: Interval, fromDate: number, thruDate: number, now: number): Window {
  const open = thruDate >= startOfDate(now);
  const thru = open ? now : thruDate + DAY - 1;
  return { interval, span: { from: fromDate, thru }, open, withLatest: open && interval === 'day' };
}

/** The complete spans of a series, from its stored coverage, between the first block and now. */
export function completeSpans(coverage: readonly { span: Span }[], interval: Interval, now: number): Span[] {
  const knowable = { from: FIRST_BLOCK, thru: lastKnowable(interval, now) };
  return union(coverage.flatMap(({ span }) => overlap(span, knowable) ?? []));
}

/** The last instant for which data can exist at `now`. A day counts only once its row is ready. */
export function lastKnowable(interval: Interval, now: number): number {
  if (interval !== 'day') return now;
  return now >= dayReady(now) ? startOfDate(now) + DAY - 1 : startOfDate(now) - 1;
}

/** The data that is available for a series at `now`. Instants in Unix ms. */
export type Known = {
  now: number;
  beginning: number;
  coverage: readonly Span[];
};

/** The uncovered parts of a span that must contain a sample, in ascending order. */
export function gapsIn(interval: Interval, span: Span, { now, beginning, coverage }: Known): Span[] {
  const knowable = overlap(span, { from: beginning, thru: lastKnowable(interval, now) });
  return knowable ? subtractSpans(knowable, coverage).filter((gap) => isGap(interval, gap)) : [];
}

/** An entry of `Quotient-Gaps`, including both ends: dates for days, instants for finer intervals. */
export function spanText(interval: Interval, { from, thru }: Span): string {
  const text = interval === 'day' ? isoDate : iso;
  return `${text(from)}/${text(thru)}`;
}
