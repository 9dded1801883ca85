import { overlap, parseDuration, type Span } from '#core/clock';
import { isMarketSource, MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';

/** How long samples and candles are kept after their own time, in ms; those of a source that is not named, for good. */
export type Retention = Partial<Record<MarketSourceName, number>>;

const FORM = `must be like coingecko=24h,kraken=365d (whole numbers of h or d, each source once: ${MARKET_SOURCES.join(', ')})`;

/** Reads `coingecko=24h,kraken=365d`. Throws `RangeError` with the form that is wanted. */
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

/** The first instant of which samples and candles of a source are kept, as of now; -Infinity where all are. */
export const keptFrom = (retention: Retention, source: MarketSourceName, now: number): number =>
  now - (retention[source] ?? Number.POSITIVE_INFINITY);

/** Of what was told, what is kept from an instant on: the rows, and the span that is covered with them. */
export const keptOf = <Row extends { at: number }>(rows: readonly Row[], covers: Span | undefined, from: number) => ({
  rows: rows.filter(({ at }) => at >= from),
  covers: covers && overlap(covers, { from, thru: Number.POSITIVE_INFINITY }),
});
