import { overlap, parseDuration, type Span } from '#core/clock';
import { isOneOf } from '#core/names';

/**
 * The supported sources of prices. The setting `MARKET_SOURCES` selects from them. Columns contain the positions in
 * this list.
 */
export const MARKET_SOURCES = ['coingecko', 'kraken', 'coinbase'] as const;
/** A source's name in `Quotient-Source`, the archive, the log and the metrics. */
export type MarketSourceName = (typeof MARKET_SOURCES)[number];
/** The sources by rank. The first source that is sound for a token provides the token's latest price. */
export type SourceOrder = readonly MarketSourceName[];
export const DEFAULT_SOURCES = ['coingecko', 'kraken'] as const satisfies SourceOrder;
/** The only source with market caps, supplies and the whole history. Only its samples become final. */
export const PRIMARY_SOURCE = 'coingecko' satisfies MarketSourceName;

export type SourceFacts = {
  title: string;
  url: string;
  provides: ('latest' | 'history' | 'candles' | 'statistics' | 'rates')[];
  /** The URL of the terms; undefined for self-hosted software, whose terms depend on the host. */
  terms?: string;
  /** The required attribution, in which `title` becomes a link to `url`. */
  attribution?: string;
};

export const isMarketSource = (text: string): text is MarketSourceName => isOneOf(MARKET_SOURCES, text);

/** CoinGecko comes first if it is used: no other source has market caps and supplies. Throws `RangeError`. */
export function parseMarketSources(text: string): SourceOrder {
  const names = text.split(',').map((name) => name.trim());
  const isRepeated = new Set(names).size < names.length;
  if (!names.every(isMarketSource) || isRepeated || names.indexOf(PRIMARY_SOURCE) > 0)
    throw new RangeError(
      `must be a list of sources such as ${DEFAULT_SOURCES.join()}: each source once (${MARKET_SOURCES.join(', ')}), and ${PRIMARY_SOURCE} first if it is listed`,
    );
  return names;
}

/** The sources that take precedence over a source. If there are any, the source's rows are provisional. */
export const sourcesPreferredOver = (source: MarketSourceName): readonly MarketSourceName[] =>
  source === PRIMARY_SOURCE ? [] : [PRIMARY_SOURCE];

/** Counts the sources in columns of positions in `MARKET_SOURCES`. Returns the most common source first. */
export function sourcesByFrequency(...columns: readonly Uint8Array[]): MarketSourceName[] {
  const counts: number[] = MARKET_SOURCES.map(() => 0);
  for (const column of columns) for (const place of column) (counts[place] as number)++;
  const present = MARKET_SOURCES.map((name, place) => ({ name, count: counts[place] as number }));
  return present
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name }) => name);
}

/** How long each source's data is stored after its own time, in ms. Other sources' data is never deleted. */
export type Retention = Partial<Record<MarketSourceName, number>>;
const FORM = `must be a list such as coingecko=24h,kraken=365d: integers with h or d, and each source once (${MARKET_SOURCES.join(', ')})`;

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

/** The first instant for which a source's data is kept; -Infinity if there is no limit. */
export const keptFrom = (retention: Retention, source: MarketSourceName, now: number): number =>
  now - (retention[source] ?? Number.POSITIVE_INFINITY);

export const keptOf = <Row extends { at: number }>(rows: readonly Row[], covers: Span | undefined, from: number) => ({
  rows: rows.filter(({ at }) => at >= from),
  covers: covers && overlap(covers, { from, thru: Number.POSITIVE_INFINITY }),
});
