import type { Span } from '#core/clock';
import { MINUTE } from '#core/clock';

/** How far an upstream's clock may be ahead of ours, in ms. */
const AHEAD = 2 * MINUTE;

/** The day of the first block of all (Unix ms): there were no prices before. */
export const FIRST_BLOCK = Date.parse('2009-01-03T00:00:00Z');

type Observation = { at: number; price: number | null };

/** The times that a sample can have, as of now (Unix ms). */
export const plausibleTimes = (now: number, beginning = FIRST_BLOCK): Span => ({
  from: beginning,
  thru: now + AHEAD,
});

const isPrice = (price: number | null): boolean => price === null || (price > 0 && price < Number.POSITIVE_INFINITY);

/** Whether a sample is plausible: its time lies in the span, its price is unknown or positive and finite. */
export const isPlausible = ({ at, price }: Observation, { from, thru }: Span): boolean =>
  at >= from && at <= thru && isPrice(price);

/** Why a sample cannot be true; a candle also when it does not begin at a multiple of its length. */
export type Implausible = 'too_early' | 'too_late' | 'price' | 'off_grid';

/** Why no sample of a chain that began at an instant can have this time, as of now (Unix ms); undefined when one can. */
export function implausibleTime(beginning: number, at: number, now: number): Implausible | undefined {
  const { from, thru } = plausibleTimes(now, beginning);
  if (at > thru) return 'too_late';
  return at >= from ? undefined : 'too_early';
}

/** Why a sample cannot be true; undefined when it can. A missing price is no reason. */
export const implausible = (beginning: number, { at, price }: Observation, now: number): Implausible | undefined =>
  implausibleTime(beginning, at, now) ?? (isPrice(price) ? undefined : 'price');

/** A market cap or a volume (zero is one), or null for a number that cannot be one. */
export const plausibleFigure = (value: number | null): number | null =>
  value !== null && value >= 0 && value < Number.POSITIVE_INFINITY ? value : null;

/** Two prices that lie further apart than this part of the lower one are not both right. */
const FAR_APART = 0.2;

/** Whether two prices of a token at one time are too far apart to be both right. */
export const areFarApart = (a: number, b: number): boolean => Math.abs(a - b) > FAR_APART * Math.min(a, b);

/** Stored rows that cannot be true: of what, how many, and their first times; as text, since their year may be any. */
export type ImplausibleRows = {
  token: string;
  what: 'minute' | 'hour' | 'day' | 'candles' | 'coverage' | 'latest' | 'statistics';
  count: number;
  instants: string[];
};

export const implausibleRow = (token: string, what: ImplausibleRows['what'], at: Date): ImplausibleRows => ({
  token,
  what,
  count: 1,
  instants: [Number.isNaN(at.getTime()) ? 'infinity' : at.toISOString()],
});
