import { hashed } from '../core/noise.ts';
import { DAY, MINUTE, SECOND } from '../core/time.ts';
import { figuresAt, priceAt } from '../market/price-model.ts';
import type { Pair } from './pairs.ts';

const KEPT_ROWS = 720;
/** The venue's share of all trade in a token, and how far its price may lie from that of the whole market. */
const SHARE = 0.02;
const SPREAD = 0.0004;
const LOOKS = 5;
/** Noise lanes, past those of the price model. */
const [SPREAD_LANE, QUIET_LANE, SHARE_LANE] = [9_000, 9_100, 9_200];

type Market = { seed: number; pair: Pair };

/** The last trade at an instant (Unix ms), as the venue tells it; of before the first trade too. */
export function tradeAt({ seed, pair }: Market, at: number): number {
  const price = priceAt(seed, pair.token, at) ?? 0;
  const away = SPREAD * (2 * hashed(seed, SPREAD_LANE, Math.floor(at / MINUTE)) - 1);
  return Number((price * (1 + away)).toFixed(pair.decimals));
}

const isQuiet = ({ seed, pair }: Market, at: number, length: number): boolean =>
  length <= 5 * MINUTE && hashed(seed, QUIET_LANE, Math.floor(at / length)) < pair.quiet;

/** The price at which a candle ends: that of the last one with a trade. */
function closeOf(market: Market, at: number, length: number, now: number): number {
  let begin = at;
  while (isQuiet(market, begin, length) && begin > market.pair.since) begin -= length;
  return tradeAt(market, Math.min(begin + length, now));
}

type Row = [time: number, ...figures: [...string[], number]];

/** `[time, open, high, low, close, vwap, volume, count]` of the candle that begins at an instant. */
export function candleRow(market: Market, at: number, length: number, now: number): Row {
  const { seed, pair } = market;
  const text = (price: number) => price.toFixed(pair.decimals);
  const close = closeOf(market, at, length, now);
  const time = at / SECOND;
  const before = closeOf(market, at - length, length, now);
  if (isQuiet(market, at, length)) {
    const last = text(before);
    return [time, last, last, last, last, text(0), (0).toFixed(8), 0];
  }
  const end = Math.min(at + length, now);
  const looks = Array.from({ length: LOOKS }, (_, i) => tradeAt(market, at + ((end - at) * i) / LOOKS));
  const prices = [before, ...looks, close];
  const average = prices.reduce((sum, price) => sum + price, 0) / prices.length;
  const { volume = 0, price = 1 } = figuresAt(seed, pair.token, end) ?? {};
  const share = SHARE * (0.5 + hashed(seed, SHARE_LANE, Math.floor(at / length)));
  const traded = ((volume / price) * share * (end - at)) / DAY;
  const [high, low] = [Math.max(...prices), Math.min(...prices)];
  const count = 1 + Math.floor(traded / 2);
  return [
    time,
    ...[before, high, low, close, average].map(text),
    Math.max(traded, 1e-8).toFixed(8),
    count,
  ] as Row;
}

/** The rows after `since` (Unix ms), the running one last; at most so many, whatever `since` is. */
export function candleRows(market: Market, length: number, since: number, now: number) {
  const running = Math.floor(now / length) * length;
  const first = Math.max(
    running - KEPT_ROWS * length,
    Math.floor(since / length) * length + length,
    Math.floor(market.pair.since / length) * length,
  );
  const rows: Row[] = [];
  for (let at = Math.min(first, running); at <= running; at += length)
    rows.push(candleRow(market, at, length, now));
  return { rows, last: (running - length) / SECOND };
}
