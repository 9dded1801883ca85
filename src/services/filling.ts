import { monthOf } from '../domain/budget.ts';
import { type Clock, DAY, HOUR, MINUTE } from '../domain/clock.ts';
import { dayReady, isGap, lastKnowable, slotOf, startOfDate, type Window } from '../domain/grain.ts';
import { isSettledSlice } from '../domain/series.ts';
import { overlap, type Span, without } from '../domain/span.ts';
import type { Timetable } from '../domain/timetable.ts';
import type { TokenName } from '../domain/token.ts';
import { type Attempt, createAttempt, type Filled, FRESH } from './attempt.ts';
import type { UpstreamBudget } from './budget.ts';
import type { Fetches } from './fetches.ts';
import type { Fetch, Holdings } from './holdings.ts';
import type { Refreshing } from './refreshing.ts';

/** A long hourly window is filled over several requests, so that one of them does not spend the budget. */
const CALLS_PER_WINDOW = 5;
/** A day that was ready and not there yet is asked for again after this, in ms. */
const DAILY_RETRY = HOUR;
/** How far ahead of this process's clock another's may be, in ms: beyond it, this one was set back. */
const SKEW = 5 * MINUTE;

type Parts = {
  fetches: Fetches;
  holdings: Holdings;
  refreshing: Refreshing<Fetch>;
  budget: UpstreamBudget<Timetable>;
  clock: Clock;
};

/**
 * Brings into the archive what a window lacks, and nothing else. What is missing is waited for; what is merely old
 * is served while one refresh runs. What the source has no plan for, or no day ready for, is not asked.
 */
export function createFilling({ fetches, holdings, refreshing, budget, clock }: Parts) {
  /** What was fetched in the future, before the clock was set back, is as old as what never was. */
  function ageOf(what: Fetch): number {
    const age = clock.now() - (holdings.fetchedAt(what) ?? Number.NEGATIVE_INFINITY);
    return age < -SKEW ? Number.POSITIVE_INFINITY : age;
  }

  /** The parts of a span that the plan reaches and the archive has not. */
  function reachableGaps(token: TokenName, { grain, span }: Pick<Window, 'grain' | 'span'>): Span[] {
    const now = clock.now();
    const reach = fetches.reach(now);
    // Of the hours, one or two less: the reach goes on while the call is on its way, and is not to be missed then.
    const edge = grain === 'day' ? startOfDate(reach + DAY - 1) : slotOf('hour', reach) + 2 * HOUR;
    const possible = overlap(span, {
      from: Math.max(holdings.beginning(token), edge),
      thru: lastKnowable(grain, now),
    });
    if (!possible) return [];
    return without(possible, holdings.coverage(token, grain)).filter((gap) => isGap(grain, gap));
  }

  /** Nothing in it will ever be new. */
  function isFinal(token: TokenName, window: Window): boolean {
    const { grain, span, open } = window;
    if (open || reachableGaps(token, window).length > 0) return false;
    return isSettledSlice(holdings.series(token, grain).slice(span.from, span.thru));
  }

  async function fillDays(token: TokenName, window: Window, attempt: Attempt<Fetch>): Promise<void> {
    const gaps = reachableGaps(token, window);
    if (gaps.length === 0) return;
    const now = clock.now();
    const asked = now - ageOf(`daily:${token}`);
    const readySince = asked < dayReady(now) && now >= dayReady(now);
    if (now - asked < DAILY_RETRY && !readySince) return;
    const all = { grain: 'day' as const, span: { from: Number.NEGATIVE_INFINITY, thru: now } };
    const [first] = reachableGaps(token, all);
    if (!first) return;
    const fetch = () => fetches.daily(token, first.from);
    const newestDay = startOfDate(lastKnowable('day', now));
    const isOnlyNewest = gaps.every(({ from }) => from >= newestDay) && window.span.from < newestDay;
    if (isOnlyNewest) await attempt.refresh(`daily:${token}`, DAY, fetch);
    else await attempt.arrival(`daily:${token}`, fetch);
  }

  async function fillHours(token: TokenName, window: Window, attempt: Attempt<Fetch>): Promise<void> {
    const lastDay = clock.now() - DAY;
    for (let calls = 0; calls < CALLS_PER_WINDOW && !attempt.filled.failure; ) {
      const older = reachableGaps(token, window).filter(({ from }) => from < lastDay);
      const [piece] = older.flatMap(fetches.hourlyPieces);
      if (!piece) break;
      // Another window's hours may be under way: these are asked for when they are there.
      const isMade = await attempt.arrival(`hours:${token}`, () => fetches.hours(token, piece));
      if (isMade) calls += 1;
    }
    if (reachableGaps(token, window).length > 0) await fillLastDay(token, window, attempt);
  }

  /** The last day's chart, when its time has come: waited for where nothing of the window is there. */
  async function fillLastDay(token: TokenName, window: Window, attempt: Attempt<Fetch>): Promise<void> {
    const { grain, span } = window;
    if (isFinal(token, window)) return;
    const what = `chart:${token}` as const;
    const every = budget.timetable().chart;
    if (span.thru < clock.now() - DAY || ageOf(what) < every) return;
    const fetch = () => fetches.chart(token);
    const isStored = holdings.coverage(token, grain).some((covered) => overlap(covered, span));
    if (isStored || attempt.filled.failure) await attempt.refresh(what, every, fetch);
    else await attempt.arrival(what, fetch);
  }

  /** The latest prices, when their time has come. */
  async function fillLatest(isStored: boolean, attempt: Attempt<Fetch>): Promise<void> {
    const every = budget.timetable().latest;
    if (ageOf('latest') < every) return;
    if (isStored) await attempt.refresh('latest', every, fetches.latest);
    else await attempt.arrival('latest', fetches.latest);
  }

  const fillGrain = { minute: fillLastDay, hour: fillHours, day: fillDays };

  return {
    /** The latest price of a token: at once when its time has not come. */
    latest(token: TokenName): Filled | Promise<Filled> {
      if (ageOf('latest') < budget.timetable().latest) return FRESH;
      const attempt = createAttempt({ refreshing, ageOf });
      return fillLatest(holdings.latest(token) !== undefined, attempt).then(() => attempt.filled);
    },

    /** What a window needs, as far as the timetable allows. */
    async window(token: TokenName, window: Window): Promise<Filled> {
      const attempt = createAttempt({ refreshing, ageOf });
      await fillGrain[window.grain](token, window, attempt);
      const newest = holdings.newest(token)?.at;
      const age = clock.now() - (newest ?? Number.NEGATIVE_INFINITY);
      const isOld = age >= budget.timetable().latest || age < -SKEW;
      // One deadline is waited for in vain, not one for each call.
      const isWaitedFor = newest === undefined && window.withLatest && !attempt.filled.failure;
      if (window.open && isOld) await fillLatest(!isWaitedFor, attempt);
      return attempt.filled;
    },

    timetable: budget.timetable,

    /** When what was fetched at an instant is fetched again, if somebody asks; a new month brings a new budget. */
    dueAt(fetchedAt: number): number {
      const now = clock.now();
      return Math.min(Math.min(fetchedAt, now) + budget.timetable().latest, monthOf(now).end);
    },

    warnings: refreshing.warnings,
    idle: refreshing.idle,

    /** The instant from which on the source's plan tells anything. */
    reach: () => fetches.reach(clock.now()),
  };
}

export type Filling = ReturnType<typeof createFilling>;
