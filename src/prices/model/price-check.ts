import { DAY, MINUTE } from '#core/clock';
import type { MarketSourceName, SourceOrder } from './market-sources.ts';

/** Prices of different sources that differ by more than this factor may belong to different tokens. */
const MAX_RATIO = 2;
/** A price that differs from the previous price of its source by more than this factor must be confirmed. */
const MAX_JUMP = 10;
/** How long a price is compared with its source's next price, and confirms another source's price, in ms. */
const COMPARED_FOR = DAY;
const CONFIRMS_FOR = 10 * MINUTE;

/** The last price of a token from one source (USD). `heldPrice` is a newer price that has not been confirmed yet. */
type Known = { source: MarketSourceName; price: number; at: number; fetchedAt: number; heldPrice?: number | null };

const ratioOf = (a: number, b: number): number => Math.max(a, b) / Math.min(a, b);
const areAlike = (a: number, b: number): boolean => ratioOf(a, b) <= MAX_RATIO;

type Price = { source: MarketSourceName; price: number };

/** Whether a fallback's price contradicts the first higher source's last price, and no other source confirms it. */
export function isContradicted({ source, price }: Price, prices: readonly Known[], order: SourceOrder, now: number) {
  const higher = order.slice(0, order.indexOf(source));
  const first = higher.flatMap((name) => prices.find((other) => other.source === name) ?? [])[0];
  if (!first || areAlike(price, first.price)) return false;
  return !prices.some((other) => other !== first && isConfirmedBy(other, source, price, now));
}

const isConfirmedBy = (other: Known, source: MarketSourceName, price: number, now: number): boolean =>
  other.source !== source && now - other.fetchedAt < CONFIRMS_FOR && areAlike(price, other.price);

/** Whether a price jumped and has not been confirmed by the next response of its source or by another source. */
export function isJump({ source, price }: Price, prices: readonly Known[], now: number): boolean {
  const own = prices.find((other) => other.source === source);
  if (!own || now - own.at > COMPARED_FOR || ratioOf(price, own.price) <= MAX_JUMP) return false;
  if (own.heldPrice && areAlike(price, own.heldPrice)) return false;
  return !prices.some((other) => isConfirmedBy(other, source, price, now));
}

/** A source is frozen if its newest sample is older than twice the interval plus this time, in ms. */
const BEHIND = 10 * MINUTE;

/** The age (ms) above which the newest sample of a response indicates a frozen source. */
export const frozenAfter = (every: number): number => 2 * every + BEHIND;
