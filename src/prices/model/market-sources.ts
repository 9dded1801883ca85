/** The sources of prices: the primary one, which is served while it is sound, and the fallback. */
export const MARKET_SOURCES = ['coingecko', 'kraken'] as const;
/** As the header `Quotient-Source` names it, and the archive, the log and the metrics. */
export type MarketSourceName = (typeof MARKET_SOURCES)[number];

/** The source of a row that names none. */
export const PRIMARY_SOURCE: MarketSourceName = MARKET_SOURCES[0];

export const isMarketSource = (text: string): text is MarketSourceName =>
  (MARKET_SOURCES as readonly string[]).includes(text);

/**
 * Reads the configured sources, `coingecko,kraken`. Throws `RangeError` with the form that is wanted. The primary one is
 * CoinGecko: what else a latest price record has, and the days before a venue's 720 newest, it alone tells.
 */
export function parseMarketSources(text: string): readonly MarketSourceName[] {
  const names = text.split(',').map((name) => name.trim());
  const isOrder = names.every((name, place) => isMarketSource(name) && names.indexOf(name) === place);
  if (!isOrder || names[0] !== PRIMARY_SOURCE)
    throw new RangeError(
      `must be like ${MARKET_SOURCES.join()}: names of ${MARKET_SOURCES.join(', ')}, each once, ${PRIMARY_SOURCE} the first`,
    );
  return names as MarketSourceName[];
}

/** The sources that take precedence over one. Its rows are provisional where there are any, and give way to theirs. */
export const preferredTo = (source: MarketSourceName): readonly MarketSourceName[] =>
  source === PRIMARY_SOURCE ? [] : [PRIMARY_SOURCE];

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
