import { overlap, parseDuration, type Span } from '#core/clock';

/** The primary source is served while it is healthy. Otherwise, the fallback is served. */
export const MARKET_SOURCES = ['coingecko', 'kraken'] as const;
/** A source's name in `Quotient-Source`, the archive, the log and the metrics. */
export type MarketSourceName = (typeof MARKET_SOURCES)[number];
export const PRIMARY_SOURCE: MarketSourceName = MARKET_SOURCES[0];

export const isMarketSource = (text: string): text is MarketSourceName =>
  (MARKET_SOURCES as readonly string[]).includes(text);

/** CoinGecko is always primary: Kraken lacks most figures and has only the newest 720 days. Throws `RangeError`. */
export function parseMarketSources(text: string): readonly MarketSourceName[] {
  const names = text.split(',').map((name) => name.trim());
  const isOrder = names.every((name, place) => isMarketSource(name) && names.indexOf(name) === place);
  if (!isOrder || names[0] !== PRIMARY_SOURCE)
    throw new RangeError(
      `must be a list of sources such as ${MARKET_SOURCES.join()}: ${PRIMARY_SOURCE} first, and each source once (${MARKET_SOURCES.join(', ')})`,
    );
  return names as MarketSourceName[];
}

/** The sources that take precedence over a source. If there are any, the source's rows are provisional. */
export const preferredTo = (source: MarketSourceName): readonly MarketSourceName[] =>
  source === PRIMARY_SOURCE ? [] : [PRIMARY_SOURCE];

/** Counts sources in columns of positions in `MARKET_SOURCES`. The most frequent source comes first. */
export function sourcesByFrequency(...columns: readonly Uint8Array[]): MarketSourceName[] {
  const counts: number[] = MARKET_SOURCES.map(() => 0);
  for (const column of columns) for (const place of column) (counts[place] as number)++;
  const present = MARKET_SOURCES.map((name, place) => ({ name, count: counts[place] as number }));
  return present
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name }) => name);
}

/** How long each source's samples and candles are stored after their own time, in ms; forever without an entry. */
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

/** The first instant for which a source's data is stored; -Infinity without a limit. */
export const keptFrom = (retention: Retention, source: MarketSourceName, now: number): number =>
  now - (retention[source] ?? Number.POSITIVE_INFINITY);

export const keptOf = <Row extends { at: number }>(rows: readonly Row[], covers: Span | undefined, from: number) => ({
  rows: rows.filter(({ at }) => at >= from),
  covers: covers && overlap(covers, { from, thru: Number.POSITIVE_INFINITY }),
});
