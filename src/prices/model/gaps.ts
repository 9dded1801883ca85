import { iso, isoDate } from '#core/clock';
import { overlap, type Span, without } from '#core/span';
import { type Interval, isGap, lastKnowable } from './interval.ts';

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
