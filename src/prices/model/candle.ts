import { MINUTE, type Span } from '#core/clock';
import type { Interval } from '#prices/model/interval';
import { type ColumnsOf, type Layout, layoutOf } from '#prices/model/series';
import { type Implausible, implausible } from '#upstream/items/plausible';

/**
 * `at` is the start in Unix ms. Prices are in US dollars; `volume` is in tokens. If there were no trades, all prices
 * equal the last price, and `volume` is 0.
 */
export type Candle = { at: number; open: number; high: number; low: number; close: number; volume: number };

export type CandleMinutes = 1 | 5 | 60 | 1440;

/** Minute candles span five minutes, like CoinGecko's samples. */
export const CANDLE_MINUTES = { minute: 5, hour: 60, day: 1440 } as const satisfies Record<Interval, CandleMinutes>;

export const candleLength = (interval: Interval): number => CANDLE_MINUTES[interval] * MINUTE;

/** Finished candles in ascending order. They are complete for the span `covers`. */
export type SourcedCandles = { candles: Candle[]; covers: Span | undefined };

/** The reason why a candle is implausible, if there is one. `beginning` and `now` are in Unix ms; `length` is in ms. */
export function implausibleCandle(
  beginning: number,
  { at, open, high, low, close, volume }: Candle,
  length: number,
  now: number,
): Implausible | undefined {
  const reason = implausible(beginning, { at: at + length, price: close }, now);
  if (reason) return reason;
  if (at % length !== 0) return 'off_grid';
  const isRange = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
  return isRange && high < Number.POSITIVE_INFINITY && volume >= 0 && volume < Number.POSITIVE_INFINITY
    ? undefined
    : 'price';
}

/** A final candle never changes. */
export type StoredCandle = Candle & { final: boolean };
export type CandleColumns = ColumnsOf<'open' | 'high' | 'low' | 'close' | 'volume'>;
export const CANDLES: Layout<CandleColumns, StoredCandle> = layoutOf(['open', 'high', 'low', 'close', 'volume'], {});
