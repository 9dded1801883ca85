import { ageAt, dueAfter } from '../domain/age.ts';
import { type Clock, DAY, HOUR } from '../domain/clock.ts';
import { dayReady, isGap, lastKnowable, slotOf, startOfDate, type Window } from '../domain/grain.ts';
import { isSettledSlice } from '../domain/series.ts';
import { overlap, type Span, without } from '../domain/span.ts';
import type { Timetable } from '../domain/timetable.ts';
import type { TokenName } from '../domain/token.ts';
import { type Attempt, createAttempt, type Filled, FRESH } from './attempt.ts';
import type { UpstreamBudget } from './budget.ts';
import { createDemand } from './demand.ts';
import type { Fetches } from './fetches.ts';
import type { Fetch, Holdings } from './holdings.ts';
import type { Refreshing } from './refreshing.ts';

/** A long hourly window is filled over several requests, so that one of them does not spend the budget. */
const CALLS_PER_WINDOW = 5;
/** A day that was ready and not there yet is asked for again after this, in ms. */
const DAILY_RETRY = HOUR;

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
  const ageOf = (what: Fetch): number => ageAt(holdings.fetchedAt(what), clock.now());
  const demand = createDemand(clock);

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
      demand.note(token, 'latest');
      if (ageOf('latest') < budget.timetable().latest) return FRESH;
      const attempt = createAttempt({ refreshing, ageOf });
      return fillLatest(holdings.latest(token) !== undefined, attempt).then(() => attempt.filled);
    },

    /** What a window needs, as far as the timetable allows. */
    async window(token: TokenName, window: Window): Promise<Filled> {
      if (window.open) demand.note(token, window.grain);
      const attempt = createAttempt({ refreshing, ageOf });
      await fillGrain[window.grain](token, window, attempt);
      const newest = holdings.newest(token)?.at;
      const isOld = ageAt(newest, clock.now()) >= budget.timetable().latest;
      // One deadline is waited for in vain, not one for each call.
      const isWaitedFor = newest === undefined && window.withLatest && !attempt.filled.failure;
      if (window.open && isOld) await fillLatest(!isWaitedFor, attempt);
      return attempt.filled;
    },

    timetable: budget.timetable,
    unasked: demand.idle,

    /** When what was fetched at an instant is fetched again, if somebody asks. */
    dueAt: (fetchedAt: number): number => dueAfter(fetchedAt, budget.timetable().latest, clock.now()),

    warnings: refreshing.warnings,
    idle: refreshing.idle,

    /** The instant from which on the source's plan tells anything. */
    reach: () => fetches.reach(clock.now()),
  };
}

export type Filling = ReturnType<typeof createFilling>;
