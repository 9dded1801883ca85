import { DAY } from '#core/clock';
import { memberNames } from '#core/names';

/** The lengths of a plan's period. Months differ in length, so a unit has either months or days. */
const UNITS = {
  week: { months: 0, days: 7 },
  month: { months: 1, days: 0 },
  year: { months: 12, days: 0 },
} as const;

type Entry = { limit: number; unit: keyof typeof UNITS; count: number };

/** The calls of each plan in a period of `count` units. */
export const PLANS = {
  monthly: { limit: 10_000, unit: 'month', count: 1 },
  yearly: { limit: 180_000, unit: 'year', count: 1 },
} as const satisfies Record<string, Entry>;

export type Plan = keyof typeof PLANS;
export const PLAN_NAMES = memberNames(PLANS);

/** The length of `n` periods in calendar months and days. */
export function periodLength(plan: Plan, n = 1): { months: number; days: number } {
  const { unit, count }: Entry = PLANS[plan];
  const { months, days } = UNITS[unit];
  return { months: n * count * months, days: n * count * days };
}

/** `one month`, `2 weeks`. */
export function termInWords(plan: Plan): string {
  const { unit, count }: Entry = PLANS[plan];
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}

/** `a month`, `2 weeks`. */
export const perPeriod = (plan: Plan): string => termInWords(plan).replace(/^one/, 'a');

/** Instants in Unix ms; `end` is exclusive. */
export type Period = { start: number; end: number };

/** Adds months to Unix ms, in UTC. In a month that is too short, uses its last day. */
export function addMonths(instant: number, months: number): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

/** Counts from the anchor, so that the day does not drift: 31 January, 28 February, 31 March. */
export function boundary(plan: Plan, anchor: number, n: number): number {
  const { months, days } = periodLength(plan, n);
  return addMonths(anchor, months) + days * DAY;
}

function periodIndex(plan: Plan, anchor: number, instant: number): number {
  const { months, days } = periodLength(plan);
  if (months === 0) return Math.max(0, Math.floor((instant - anchor) / (days * DAY)));
  const from = new Date(anchor);
  const to = new Date(instant);
  const passed = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const n = Math.max(0, Math.floor(passed / months));
  return n > 0 && boundary(plan, anchor, n) > instant ? n - 1 : n;
}

/** An instant before the anchor belongs to the first period. */
export function periodAt(plan: Plan, anchor: number, instant: number): Period {
  const n = periodIndex(plan, anchor, instant);
  return { start: boundary(plan, anchor, n), end: boundary(plan, anchor, n + 1) };
}

/** A plan that starts with the period at `from` (Unix ms). */
export type NextPlan = { plan: Plan; limit: number; from: number };
/** Instants in Unix ms. `next` starts at the end of the current period. */
export type Term = { plan: Plan; anchor: number; validUntil: number; next?: NextPlan | undefined };

export function firstTerm(plan: Plan, now: number): Term {
  return { plan, anchor: now, validUntil: boundary(plan, now, 1) };
}

/** Restarts an expired term, or extends it by a period. Undefined if it already ends after the current period. */
export function renewedTerm(term: Term, now: number): Term | undefined {
  if (now >= term.validUntil) return firstTerm(term.plan, now);
  const running = periodAt(term.plan, term.anchor, now);
  if (term.validUntil > running.end) return undefined;
  const { plan, from: anchor } = term.next ?? { plan: term.plan, from: term.anchor };
  return { ...term, validUntil: periodAt(plan, anchor, term.validUntil).end };
}
