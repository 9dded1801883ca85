import { DAY, HOUR, overlap, type Span, startOfDate, subtractSpans } from '#core/clock';
import {
  dayReady,
  gapsIn,
  type Interval,
  intervalStart,
  isGap,
  type Known,
  lastKnowable,
  type Window,
} from '#prices/model/interval';
import { retryPause } from '#prices/model/missing-samples';
import type { RefreshSchedule } from '#prices/sources/coingecko-plans';
import { ageAt, type Wait, waitOnRefresh } from '#upstream/freshness';

/** CoinGecko returns hourly samples for spans of up to this many days. */
export const HOURLY_DAYS = 90;
/** The longest requested span of hourly samples, in ms. CoinGecko returns daily samples for 90 days and more. */
const HOURLY_PIECE = HOURLY_DAYS * DAY - HOUR;
/** The maximum number of calls for hours per request. Several requests fill a long window. */
const HOURLY_CALLS = 5;
/** The delay before a day that is due but missing is requested again, in ms. */
const DAILY_RETRY = HOUR;

/** The calls to CoinGecko: midnights (`daily`), older hours, the last day (`chart`), latest prices. */
export type FetchKind = 'daily' | 'hours' | 'chart' | 'latest';

type PlannedFetch = {
  kind: FetchKind;
  span: Span;
  wait: Wait;
};

/** The state of a token for the window's interval. Instants in Unix ms. */
export type PlanInput = Known & {
  earliest: number;
  /** Whether the source has already responded for the time of the token's start. */
  isBeginningCovered: boolean;
  /** The spans for which the source has returned no samples, and the time since when samples have been missing. */
  missing: readonly Span[];
  missingSince: number | undefined;
  reach: number;
  isSettled: boolean;
  newestAt: number | undefined;
  fetchedAt: (kind: FetchKind) => number | undefined;
  schedule: RefreshSchedule;
  tried: readonly FetchKind[];
  hasFailed: boolean;
};

/** The days of history that CoinGecko provides, by interval, and how long its samples are kept, in ms. */
export type HistoryLimits = { history: Readonly<{ day: number; finer: number }>; keptFor: number };

/** The first instant (Unix ms) whose samples are both provided and kept; -Infinity if there is no limit. */
export const reachOf = ({ history, keptFor }: HistoryLimits, interval: Interval, now: number): number =>
  now - Math.min((interval === 'day' ? history.day : history.finer) * DAY, keptFor);

const ageOf = (kind: FetchKind, { fetchedAt, now }: PlanInput): number => ageAt(fetchedAt(kind), now);

const isDue = (kind: FetchKind, every: number, input: PlanInput): boolean =>
  !input.tried.includes(kind) && ageOf(kind, input) >= every;

const firstMidnight = ({ reach }: Pick<PlanInput, 'reach'>): number => startOfDate(reach + DAY - 1);
// The limit moves while a call is in flight, so the first hour or two are not requested.
const firstHour = ({ reach }: Pick<PlanInput, 'reach'>): number => intervalStart('hour', reach) + 2 * HOUR;

/** The first instant with CoinGecko samples of an interval. Minutes are provided only for the last day. */
export function firstProvided(interval: Interval, input: Pick<PlanInput, 'reach' | 'now'>): number {
  if (interval === 'minute') return Math.max(input.reach, input.now - DAY);
  return interval === 'hour' ? firstHour(input) : firstMidnight(input);
}

function reachableGaps({ interval, span }: Pick<Window, 'interval' | 'span'>, input: PlanInput): Span[] {
  const edge = interval === 'day' ? firstMidnight(input) : firstHour(input);
  return gapsIn(interval, span, { ...input, beginning: Math.max(input.beginning, edge) });
}

/** Whether to request data from before the known start. Otherwise, a response would depend on earlier requests. */
function mayBeginEarlier({ span }: Window, input: PlanInput): boolean {
  const { beginning, earliest, isBeginningCovered, fetchedAt } = input;
  const isKnown = isBeginningCovered && fetchedAt('daily') !== undefined;
  return !isKnown && span.from < beginning && span.thru >= earliest && firstMidnight(input) <= beginning;
}

const isRetryDue = (kind: FetchKind, input: PlanInput): boolean =>
  ageOf(kind, input) >= retryPause(input.missingSince, input.fetchedAt(kind));

/** The parts of gaps for which the source has not responded yet. */
const unrequested = (gaps: readonly Span[], { missing }: Pick<PlanInput, 'missing'>): Span[] =>
  gaps.flatMap((gap) => subtractSpans(gap, missing));

/** Plans one call for all missing days. If the known start is missing, the call includes all older data. */
function planDaily(from: number, wait: Wait, isDue: boolean, input: PlanInput): PlannedFetch[] {
  const { now, tried, beginning, earliest } = input;
  const age = ageOf('daily', input);
  const sinceReady = now - dayReady(now);
  const isReadySince = sinceReady >= 0 && age > sinceReady;
  if (tried.includes('daily') || !(isReadySince || isDue)) return [];
  const start = from <= beginning ? Math.max(earliest, firstMidnight(input)) : from;
  return [{ kind: 'daily', span: { from: start, thru: now }, wait }];
}

const isDaily = (input: PlanInput): boolean => ageOf('daily', input) >= DAILY_RETRY;
const isWithin = (span: Span, gaps: readonly Span[]): boolean => subtractSpans(span, gaps).length === 0;

/** If only the newest day, or a day that the source lacks, is missing, the response does not wait for it. */
function planDays(window: Window, input: PlanInput): PlannedFetch[] {
  const { now } = input;
  if (mayBeginEarlier(window, input)) return planDaily(input.beginning, 'end', isDaily(input), input);
  const gaps = reachableGaps(window, input);
  const all = reachableGaps({ interval: 'day', span: { from: Number.NEGATIVE_INFINITY, thru: now } }, input);
  const [first] = all;
  if (gaps.length === 0 || !first) return [];
  const newestDay = startOfDate(lastKnowable('day', now));
  const isOnlyNewest = gaps.every(({ from }) => from >= newestDay) && window.span.from < newestDay;
  const isOnlyRetry = unrequested(gaps, input).length === 0 && !isWithin(window.span, gaps);
  const wait = isOnlyNewest || isOnlyRetry ? waitOnRefresh(ageOf('daily', input), DAY) : 'end';
  const isDue = unrequested(all, input).length > 0 ? isDaily(input) : isRetryDue('daily', input);
  return planDaily(first.from, wait, isDue, input);
}

function hourlyPieces(gaps: readonly Span[], now: number): Span[] {
  const recent = { from: now - HOURLY_DAYS * DAY, thru: now };
  const pieces: Span[] = [];
  for (const { from, thru } of gaps.flatMap((gap) => subtractSpans(gap, [recent]))) {
    for (let start = from; start <= thru; start += HOURLY_PIECE) {
      pieces.push({ from: start, thru: Math.min(thru, start + HOURLY_PIECE - 1) });
    }
  }
  return gaps.some((gap) => overlap(gap, recent)) ? [...pieces, recent] : pieces;
}

/** The response waits for hours older than a day. The chart of the last day contains the newer hours. */
function planHours(window: Window, input: PlanInput): PlannedFetch[] {
  const { now, tried, hasFailed } = input;
  const gaps = reachableGaps(window, input);
  const wanted = isRetryDue('hours', input) ? gaps : unrequested(gaps, input).filter((gap) => isGap('hour', gap));
  const older = wanted.filter(({ from }) => from < now - DAY);
  const callsLeft = hasFailed ? 0 : HOURLY_CALLS - tried.filter((kind) => kind === 'hours').length;
  const pieces = hourlyPieces(older, now).slice(0, Math.max(0, callsLeft));
  const afterwards = { ...input, coverage: [...input.coverage, ...pieces] };
  return [
    ...(mayBeginEarlier(window, input) ? planDaily(input.beginning, 'end', isDaily(input), input) : []),
    ...pieces.map((span): PlannedFetch => ({ kind: 'hours', span, wait: 'end' })),
    ...(reachableGaps(window, afterwards).some(({ thru }) => thru >= now - DAY) ? planLastDay(window, afterwards) : []),
  ];
}

/** The response waits for a due chart only if no part of the window is stored. */
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

/** Only daily windows wait for due latest prices, because only daily windows end with the newest sample. */
function planLatest({ withLatest }: Window, input: PlanInput): PlannedFetch[] {
  const { now, newestAt, schedule, hasFailed } = input;
  const every = schedule.latest;
  if (ageAt(newestAt, now) < every || !isDue('latest', every, input)) return [];
  const isRefresh = newestAt !== undefined || !withLatest || hasFailed;
  const wait = isRefresh ? waitOnRefresh(ageOf('latest', input), every) : 'end';
  return [{ kind: 'latest', span: { from: now, thru: now }, wait }];
}

const PLAN = { minute: planLastDay, hour: planHours, day: planDays };

/** Called again after each fetch. Fetches after a failure are not awaited, so a response waits for one deadline. */
export function planFetches(window: Window, input: PlanInput): PlannedFetch[] {
  const plan = PLAN[window.interval](window, input);
  // The daily series and the chart end with the newest sample.
  const bringsNewest = plan.some(({ kind, wait }) => wait === 'end' && kind !== 'hours');
  return window.open && !bringsNewest ? [...plan, ...planLatest(window, input)] : plan;
}
