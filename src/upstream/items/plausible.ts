import type { Span } from '#core/clock';
import { MINUTE } from '#core/clock';

/** How far an upstream's clock may be ahead of this process's clock, in ms. */
const AHEAD = 2 * MINUTE;
/** The date of the first Bitcoin block (Unix ms). No price is older. */
export const FIRST_BLOCK = Date.parse('2009-01-03T00:00:00Z');
type Observation = { at: number; price: number | null };
export const plausibleTimes = (now: number, beginning = FIRST_BLOCK): Span => ({ from: beginning, thru: now + AHEAD });
const isPrice = (price: number | null): boolean => price === null || (price > 0 && price < Number.POSITIVE_INFINITY);

/** Whether an observation is plausible. A missing price is plausible. */
export const isPlausible = ({ at, price }: Observation, { from, thru }: Span): boolean =>
  at >= from && at <= thru && isPrice(price);

/** `off_grid` means that a candle does not start at a multiple of its interval. */
export type Implausible = 'too_early' | 'too_late' | 'price' | 'off_grid';

/** Why no sample of a chain that began at `beginning` can have the time `at`. Undefined for a plausible time. */
export function implausibleTime(beginning: number, at: number, now: number): Implausible | undefined {
  const { from, thru } = plausibleTimes(now, beginning);
  if (at > thru) return 'too_late';
  return at >= from ? undefined : 'too_early';
}

/** Why a sample is implausible. Undefined for a plausible sample. A missing price is plausible. */
export const implausible = (beginning: number, { at, price }: Observation, now: number): Implausible | undefined =>
  implausibleTime(beginning, at, now) ?? (isPrice(price) ? undefined : 'price');

/** Returns null for an implausible volume. Zero is plausible. */
export const plausibleFigure = (value: number | null): number | null =>
  value !== null && value >= 0 && value < Number.POSITIVE_INFINITY ? value : null;

/** Like `plausibleFigure`, but for a market cap or a supply. CoinGecko reports 0 if it is unknown. */
export const positiveFigure = (value: number | null): number | null => plausibleFigure(value) || null;

/** If two prices differ by more than this share of the lower price, at least one is wrong. */
const FAR_APART = 0.2;
export const areFarApart = (a: number, b: number): boolean => Math.abs(a - b) > FAR_APART * Math.min(a, b);

/** The number and the first times of implausible stored rows. Times are text: the year may be out of range. */
export type ImplausibleRows = {
  token: string;
  what: 'minute' | 'hour' | 'day' | 'candles' | 'coverage' | 'latest' | 'statistics';
  count: number;
  instants: string[];
};

export const implausibleRow = (token: string, table: ImplausibleRows['what'], at: Date): ImplausibleRows => ({
  token,
  what: table,
  count: 1,
  instants: [Number.isNaN(at.getTime()) ? 'infinity' : at.toISOString()],
});
