import { type Clock, DAY, HOUR, iso, isoDate } from '../domain/clock.ts';
import { type Grain, isGap, lastKnowable, type Window } from '../domain/grain.ts';
import { overlap, type Span, without } from '../domain/span.ts';
import type { TokenName } from '../domain/token.ts';
import { Problem } from '../problems.ts';
import type { Filling } from './filling.ts';
import type { Holdings } from './holdings.ts';
import { upstreamProblem } from './upstream-problem.ts';

type Parts = { holdings: Holdings; filling: Filling; clock: Clock };

/** A span as `Quotient-Gaps` names it: dates for days, instants for finer grains, both ends included. */
function spanText(grain: Grain, { from, thru }: Span): string {
  const text = grain === 'day' ? isoDate : iso;
  return `${text(from)}/${text(thru)}`;
}

/** Minutes are given for the last day alone, whatever the plan; everything else some plan has. */
const canNeverBeHad = ({ grain, span }: Window, now: number) => grain === 'minute' && span.thru < now - DAY;

/** What an answer lacks, and what to say when there is no answer. */
export function createCompleteness({ holdings, filling, clock }: Parts) {
  /**
   * The spans of a window, from the listing on, of which the archive has not been told. What is younger than the
   * timetable's last turn is not missing, it is not there yet.
   */
  function missing(token: TokenName, { grain, span, open }: Window): Span[] {
    const now = clock.now();
    const knowable = { from: holdings.beginning(token), thru: lastKnowable(grain, now) };
    const known = overlap(span, knowable);
    const turn = open && grain !== 'day' ? now - filling.timetable().chart : now;
    if (!known) return [];
    const unknown = without(known, holdings.coverage(token, grain));
    return unknown.filter((gap) => gap.from < turn && isGap(grain, gap));
  }

  return {
    /** The missing spans as `from/thru`. */
    gaps: (token: TokenName, window: Window): string[] =>
      missing(token, window).map((span) => spanText(window.grain, span)),

    /** What to throw when a window holds no sample: `failure` is what stood in the way of filling it, if anything. */
    nothingToServe(token: TokenName, window: Window, failure: unknown): unknown {
      const gaps = missing(token, window).map((span) => spanText(window.grain, span));
      if (failure) return upstreamProblem(failure, { members: { gaps } });
      if (gaps.length === 0)
        return new Problem('no_data', 'No sample of this token lies in the time asked for.');
      if (canNeverBeHad(window, clock.now())) {
        const detail =
          'The aggregator gives minutes of the last 24 hours alone, and none were kept of this time.';
        return new Problem('no_data', detail, { members: { gaps } });
      }
      const reach = filling.reach();
      const detail =
        window.span.thru < reach
          ? `The aggregator's plan reaches back to ${isoDate(reach)}, and the archive does not hold this time.`
          : 'The aggregator has not told this time yet, and the archive does not hold it.';
      return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / 1000, members: { gaps } });
    },
  };
}
