import { overlap, parseDuration, type Span } from '#core/clock';
import { isMarketSource, MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';

/**
 * How long each source's samples and candles are kept after their own time, in ms. Without an entry, they are kept
 * forever.
 */
export type Retention = Partial<Record<MarketSourceName, number>>;
const FORM = `must have the form coingecko=24h,kraken=365d (integers with h or d, each source once: ${MARKET_SOURCES.join(', ')})`;

/** Throws `RangeError`. */
export function parseRetention(text: string): Retention {
  const retention: Retention = {};
  for (const entry of text.split(',')) {
    const [, name = '', text = ''] = /^\s*([\w-]+)=(\w+)\s*$/.exec(entry) ?? [];
    const duration = parseDuration(text);
    if (!isMarketSource(name) || name in retention || duration === undefined) throw new RangeError(FORM);
    retention[name] = duration;
  }
  return retention;
}

/** The first instant for which a source's data is kept; -Infinity without a limit. */
export const keptFrom = (retention: Retention, source: MarketSourceName, now: number): number =>
  now - (retention[source] ?? Number.POSITIVE_INFINITY);

/** The rows and the covered span from an instant on. */
export const keptOf = <Row extends { at: number }>(rows: readonly Row[], covers: Span | undefined, from: number) => ({
  rows: rows.filter(({ at }) => at >= from),
  covers: covers && overlap(covers, { from, thru: Number.POSITIVE_INFINITY }),
});
