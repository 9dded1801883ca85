import { hashed } from '../noise.ts';
import { DAY, MINUTE } from '../upstream.ts';
import { figuresAt, priceAt } from './price-model.ts';

/** An exchange's share of a token's volume, and the maximum deviation from the market price. */
const SHARE = 0.02;
const SPREAD = 0.0004;
const PRICES_PER_CANDLE = 5;
/** The noise lanes of an exchange, counted from its first lane. They follow the lanes of the price model. */
const QUIET_LANE = 100;
const SHARE_LANE = 200;

/** `since`: the first trade. `quiet`: the share of five-minute candles without trades. `lane`: the first noise lane. */
export type TradedPair = { token: string; decimals: number; since: number; quiet: number; lane: number };
export type Market<Pair extends TradedPair = TradedPair> = { seed: number; pair: Pair };

/** The price of the last trade at an instant (Unix ms), even before the pair's first trade. */
export function tradeAt({ seed, pair }: Market, at: number): number {
  const price = priceAt(seed, pair.token, at) ?? 0;
  const deviation = SPREAD * (2 * hashed(seed, pair.lane, Math.floor(at / MINUTE)) - 1);
  return Number((price * (1 + deviation)).toFixed(pair.decimals));
}

/** Whether a candle has no trades. */
export const isQuiet = ({ seed, pair }: Market, at: number, length: number): boolean =>
  length <= 5 * MINUTE && hashed(seed, pair.lane + QUIET_LANE, Math.floor(at / length)) < pair.quiet;

/** A candle without trades closes at the close of the last candle with trades. */
function closeOf(market: Market, at: number, length: number, now: number): number {
  let start = at;
  while (isQuiet(market, start, length) && start > market.pair.since) start -= length;
  return tradeAt(market, Math.min(start + length, now));
}

/** The candle that starts at `at`. Without trades, all prices equal the last price, and the other figures are 0. */
export function candleAt(market: Market, at: number, length: number, now: number) {
  const { seed, pair } = market;
  const open = closeOf(market, at - length, length, now);
  if (isQuiet(market, at, length))
    return { open, high: open, low: open, close: open, average: 0, volume: 0, trades: 0 };
  const close = closeOf(market, at, length, now);
  const end = Math.min(at + length, now);
  const traded = Array.from({ length: PRICES_PER_CANDLE }, (_, i) =>
    tradeAt(market, at + ((end - at) * i) / PRICES_PER_CANDLE),
  );
  const prices = [open, ...traded, close];
  const { volume = 0, price = 1 } = figuresAt(seed, pair.token, end) ?? {};
  const share = SHARE * (0.5 + hashed(seed, pair.lane + SHARE_LANE, Math.floor(at / length)));
  const tokens = ((volume / price) * share * (end - at)) / DAY;
  return {
    open,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close,
    average: prices.reduce((sum, one) => sum + one, 0) / prices.length,
    volume: Math.max(tokens, 1e-8),
    trades: 1 + Math.floor(tokens / 2),
  };
}
