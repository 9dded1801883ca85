import { DAY, HOUR, overlap, type Span, startOfDate, without } from '#core/clock';
import { dayReady, gapsIn, type Interval, type Known, lastKnowable, slotOf, type Window } from '#prices/model/interval';
import type { RefreshSchedule } from '#prices/sources/coingecko-plans';
import { ageAt, type Wait, waitOnRefresh } from '#upstream/freshness';

/** The aggregator gives hours for spans of up to so many days. */
export const HOURLY_DAYS = 90;
/** The span of one call for older hours, in ms: a little shorter, since a span of more than 90 days brings days. */
const HOURLY_PIECE = HOURLY_DAYS * DAY - HOUR;
/** Calls for hours that one request makes at most: a long window is filled over several requests. */
const HOURLY_CALLS = 5;
/** A day that was due and missing is asked for again after this, in ms. */
const DAILY_RETRY = HOUR;

/**
 * The calls to the aggregator: `daily`, every midnight from an instant on; `hours`, further back than a day; `chart`,
 * the last day; `latest`, the latest price of every token.
 */
export type FetchKind = 'daily' | 'hours' | 'chart' | 'latest';

export type PlannedFetch = {
  kind: FetchKind;
  /** What it is to bring. */
  span: Span;
  /** Until when the answer waits for it. */
  wait: Wait;
};

/** What a plan depends on beside the window, for one token and the window's interval; instants in Unix ms. */
export type PlanInput = Known & {
  /** Before it there can be nothing. */
  earliest: number;
  /** The daily coverage holds the beginning. */
  isBeginningCovered: boolean;
  /** The first instant that the aggregator's plan reaches. */
  reach: number;
  /** None of the window's rows will ever change. */
  isSettled: boolean;
  /** The time of the newest sample of all. */
  newestAt: number | undefined;
  fetchedAt: (kind: FetchKind) => number | undefined;
  schedule: RefreshSchedule;
  /** The fetches that were made for this answer already, and whether one of them failed. */
  tried: readonly FetchKind[];
  hasFailed: boolean;
};

const ageOf = (kind: FetchKind, { fetchedAt, now }: PlanInput): number => ageAt(fetchedAt(kind), now);

const isDue = (kind: FetchKind, every: number, input: PlanInput): boolean =>
  !input.tried.includes(kind) && ageOf(kind, input) >= every;

/** The first midnight that the aggregator's plan reaches, and the first hour. */
const firstMidnight = ({ reach }: Pick<PlanInput, 'reach'>): number => startOfDate(reach + DAY - 1);
// The reach moves on while a call is in flight: the first one or two hours are left out.
const firstHour = ({ reach }: Pick<PlanInput, 'reach'>): number => slotOf('hour', reach) + 2 * HOUR;

/** The first instant of which the aggregator provides samples of an interval: minutes of the last day only. */
export function firstProvided(interval: Interval, known: Pick<PlanInput, 'reach' | 'now'>): number {
  if (interval === 'minute') return Math.max(known.reach, known.now - DAY);
  return interval === 'hour' ? firstHour(known) : firstMidnight(known);
}

/** The gaps of a span that the aggregator's plan reaches. */
function reachableGaps({ interval, span }: Pick<Window, 'interval' | 'span'>, input: PlanInput): Span[] {
  const edge = interval === 'day' ? firstMidnight(input) : firstHour(input);
  return gapsIn(interval, span, { ...input, beginning: Math.max(input.beginning, edge) });
}

/**
 * Whether a window goes back before the known beginning, and the aggregator may tell of that time: it has never told the
 * daily series as far back. It is asked, so that the answer is the same whatever was asked for before.
 */
function mayBeginEarlier({ span }: Window, input: PlanInput): boolean {
  const { beginning, earliest, isBeginningCovered, fetchedAt } = input;
  const isTold = isBeginningCovered && fetchedAt('daily') !== undefined;
  return !isTold && span.from < beginning && span.thru >= earliest && firstMidnight(input) <= beginning;
}

/** One call brings every missing day, and what may be before the known beginning of a series never fetched from there. */
function planDaily(from: number, wait: Wait, input: PlanInput): PlannedFetch[] {
  const { now, tried, beginning, earliest } = input;
  const age = ageOf('daily', input);
  const sinceReady = now - dayReady(now);
  const isReadySince = sinceReady >= 0 && age > sinceReady;
  if (tried.includes('daily') || (age < DAILY_RETRY && !isReadySince)) return [];
  const start = from <= beginning ? Math.max(earliest, firstMidnight(input)) : from;
  return [{ kind: 'daily', span: { from: start, thru: now }, wait }];
}

/** A window that lacks only the newest day does not wait for it. */
function planDays(window: Window, input: PlanInput): PlannedFetch[] {
  const { now } = input;
  if (mayBeginEarlier(window, input)) return planDaily(input.beginning, 'end', input);
  const gaps = reachableGaps(window, input);
  const [first] = reachableGaps({ interval: 'day', span: { from: Number.NEGATIVE_INFINITY, thru: now } }, input);
  if (gaps.length === 0 || !first) return [];
  const newestDay = startOfDate(lastKnowable('day', now));
  const isOnlyNewest = gaps.every(({ from }) => from >= newestDay) && window.span.from < newestDay;
  const wait = isOnlyNewest ? waitOnRefresh(ageOf('daily', input), DAY) : 'end';
  return planDaily(first.from, wait, input);
}

/** The calls for gaps of hours: one for all of the last 90 days, and older ones in pieces. */
function hourlyPieces(gaps: readonly Span[], now: number): Span[] {
  const recent = { from: now - HOURLY_DAYS * DAY, thru: now };
  const pieces: Span[] = [];
  for (const { from, thru } of gaps.flatMap((gap) => without(gap, [recent]))) {
    for (let start = from; start <= thru; start += HOURLY_PIECE) {
      pieces.push({ from: start, thru: Math.min(thru, start + HOURLY_PIECE - 1) });
    }
  }
  return gaps.some((gap) => overlap(gap, recent)) ? [...pieces, recent] : pieces;
}

/** Hours older than a day are waited for; the chart of the last day brings the newer ones. */
function planHours(window: Window, input: PlanInput): PlannedFetch[] {
  const { now, tried, hasFailed } = input;
  const older = reachableGaps(window, input).filter(({ from }) => from < now - DAY);
  const callsLeft = hasFailed ? 0 : HOURLY_CALLS - tried.filter((kind) => kind === 'hours').length;
  const pieces = hourlyPieces(older, now).slice(0, Math.max(0, callsLeft));
  const afterwards = { ...input, coverage: [...input.coverage, ...pieces] };
  return [
    ...(mayBeginEarlier(window, input) ? planDaily(input.beginning, 'end', input) : []),
    ...pieces.map((span): PlannedFetch => ({ kind: 'hours', span, wait: 'end' })),
    ...(reachableGaps(window, afterwards).length > 0 ? planLastDay(window, afterwards) : []),
  ];
}

/** The chart of the last day, when it is due; waited for where nothing of the window is stored. */
function planLastDay(window: Window, input: PlanInput): PlannedFetch[] {
  const { span } = window;
  const { now, coverage, schedule, isSettled, hasFailed } = input;
  const isFinal = isSettled && reachableGaps(window, input).length === 0;
  const lastDay = { from: now - DAY, thru: now };
  if (isFinal || span.thru < lastDay.from || !isDue('chart', schedule.chart, input)) return [];
  const isStored = coverage.some((covered) => overlap(covered, span));
  const isRefresh = isStored || hasFailed;
  const wait = isRefresh ? waitOnRefresh(ageOf('chart', input), schedule.chart) : 'end';
  return [{ kind: 'chart', span: lastDay, wait }];
}

/** The latest prices, when they are due; waited for only by days, which end with the newest sample. */
function planLatest({ withLatest }: Window, input: PlanInput): PlannedFetch[] {
  const { now, newestAt, schedule, hasFailed } = input;
  const every = schedule.latest;
  if (ageAt(newestAt, now) < every || !isDue('latest', every, input)) return [];
  const isRefresh = newestAt !== undefined || !withLatest || hasFailed;
  const wait = isRefresh ? waitOnRefresh(ageOf('latest', input), every) : 'end';
  return [{ kind: 'latest', span: { from: now, thru: now }, wait }];
}

const PLAN = { minute: planLastDay, hour: planHours, day: planDays };

/**
 * What to fetch for a window, in order; nothing where all is stored and not due. The plan assumes that each fetch it
 * waits for succeeds: plan again after each. After a failure no further fetch is waited for to its end, so that an
 * answer waits for one deadline at most.
 */
export function planFetches(window: Window, input: PlanInput): PlannedFetch[] {
  const plan = PLAN[window.interval](window, input);
  // The daily series and the chart end with the newest sample.
  const bringsNewest = plan.some(({ kind, wait }) => wait === 'end' && kind !== 'hours');
  return window.open && !bringsNewest ? [...plan, ...planLatest(window, input)] : plan;
}
