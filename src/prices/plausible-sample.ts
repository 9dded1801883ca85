import { beginningOf, FIRST_BLOCK, type Token } from '#catalogue/token';
import { MINUTE } from '#core/clock';
import type { Span } from '#core/span';

/** How far an upstream's clock may be ahead of ours, in ms. */
const AHEAD = 2 * MINUTE;

type Observation = { at: number; price: number | null };

/** The times that a sample can have, as of now (Unix ms). */
export const plausibleTimes = (now: number, beginning = FIRST_BLOCK): Span => ({
  from: beginning,
  thru: now + AHEAD,
});

const isPrice = (price: number | null): boolean =>
  price === null || (price > 0 && price < Number.POSITIVE_INFINITY);

/** Whether a sample is plausible: its time lies in the span, its price is unknown or positive and finite. */
export const isPlausible = ({ at, price }: Observation, { from, thru }: Span): boolean =>
  at >= from && at <= thru && isPrice(price);

/** Why a sample cannot be true; a candle also when it does not begin at a multiple of its length. */
export type Implausible = 'too_early' | 'too_late' | 'price' | 'off_grid';

/** What is looked at of a token; undefined for one that is not served any more. */
type Begun = Pick<Token, 'begins'> | undefined;

/** Why no sample of a token can have this time, as of now; undefined when one can. */
export function implausibleTime(token: Begun, at: number, now: number): Implausible | undefined {
  const { from, thru } = plausibleTimes(now, beginningOf(token));
  if (at > thru) return 'too_late';
  return at >= from ? undefined : 'too_early';
}

/** Why a sample cannot be true; undefined when it can. A missing price is no reason. */
export const implausible = (token: Begun, { at, price }: Observation, now: number): Implausible | undefined =>
  implausibleTime(token, at, now) ?? (isPrice(price) ? undefined : 'price');

/** A market cap or a volume (zero is one), or null for a number that cannot be one. */
export const plausibleFigure = (value: number | null): number | null =>
  value !== null && value >= 0 && value < Number.POSITIVE_INFINITY ? value : null;
