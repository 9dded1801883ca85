/** The sources of prices, in the order of the line: the first is told while it is sound. */
export const MARKET_SOURCES = ['coingecko', 'kraken'] as const;
/** As the header `Quotient-Source` names it, and the archive, the log and the metrics. */
export type MarketSourceName = (typeof MARKET_SOURCES)[number];

/** Whose a row is that does not say so. */
export const FIRST_SOURCE: MarketSourceName = MARKET_SOURCES[0];

export const isMarketSource = (text: string): text is MarketSourceName =>
  (MARKET_SOURCES as readonly string[]).includes(text);

/**
 * Reads a line of sources, `coingecko,kraken`. Throws `RangeError` with the form that is wanted. The first is CoinGecko:
 * what else a latest price record has, and the days before a venue's 720 newest, it alone tells.
 */
export function parseMarketSources(text: string): readonly MarketSourceName[] {
  const line = text.split(',').map((name) => name.trim());
  const isLine = line.every((name, place) => isMarketSource(name) && line.indexOf(name) === place);
  if (!isLine || line[0] !== FIRST_SOURCE) {
    const names = MARKET_SOURCES.join(', ');
    throw new RangeError(
      `must be like ${MARKET_SOURCES.join()}: names of ${names}, each once, ${FIRST_SOURCE} the first`,
    );
  }
  return line as MarketSourceName[];
}

/**
 * The sources before one in a line: all of it where the line does not have that one. What it tells is provisional where
 * there are any, and gives way to theirs.
 */
export function sourcesBefore(
  source: MarketSourceName,
  line: readonly MarketSourceName[] = MARKET_SOURCES,
): readonly MarketSourceName[] {
  const place = line.indexOf(source);
  return place < 0 ? line : line.slice(0, place);
}

/** Of numbers that stand for sources (their places in `MARKET_SOURCES`) the names, the most frequent first. */
export function sourcesByFrequency(...columns: readonly Uint8Array[]): MarketSourceName[] {
  const counts: number[] = MARKET_SOURCES.map(() => 0);
  for (const column of columns) for (const place of column) (counts[place] as number)++;
  const present = MARKET_SOURCES.map((name, place) => ({ name, count: counts[place] as number }));
  return present
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name }) => name);
}
