import type { Token } from '#catalogue/token';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { intervalStart } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { NO_FIGURES } from '#prices/model/sample';
import { type PointSeries, samplesOf } from '#prices/model/series';
import type { ArchiveCache } from './latest-cache.ts';
import type { SourcedLatest } from './latest-composition.ts';
import type { TokenPrice } from './latest-records.ts';

export const versionOf = ({ sources }: SourcedLatest): string => sources.flatMap(Object.values).join();

/**
 * The value of `Quotient-Source`: the sources by number of prices, each with the age of its oldest price in seconds. No
 * age is stated if all prices are from the primary source.
 */
export function sourcesOf(prices: readonly SourcedLatest[], now: number): string {
  const oldest = new Map<MarketSourceName, number>();
  const latest = new Map<MarketSourceName, number>();
  for (const { sources } of prices) {
    for (const [place, { source, fetchedAt }] of sources.entries()) {
      oldest.set(source, Math.min(fetchedAt, oldest.get(source) ?? fetchedAt));
      if (place === 0) latest.set(source, (latest.get(source) ?? 0) + 1);
    }
  }
  if (oldest.size === 1 && oldest.has(PRIMARY_SOURCE)) return PRIMARY_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (latest.get(b) ?? 0) - (latest.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}

/** The largest accepted distance, in ms, between a sample and the instant 24 hours earlier. */
const TOLERANCE = 30 * MINUTE;

/**
 * The change of a price over the 24 hours before an instant (Unix ms), in percent, since the nearest sample of any
 * series. The earlier of two equally near samples counts. Null if no sample is within the tolerance.
 */
export function dayChange(series: readonly Pick<PointSeries, 'slice'>[], price: number, at: number): number | null {
  const dayBefore = at - DAY;
  let before: number | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  const slices = series.map((one) => one.slice(dayBefore - TOLERANCE, dayBefore + TOLERANCE));
  for (const sample of slices.flatMap((slice) => [...samplesOf(slice)])) {
    const distance = Math.abs(sample.at - dayBefore);
    if (!sample.price || distance >= nearest) continue;
    before = sample.price;
    nearest = distance;
  }
  return before === null ? null : ((price - before) / before) * 100;
}

type HourlyPrices = readonly (number | null)[];
/** The prices of the last 24 hours, which are read only if they are written, and the version of their series. */
export type Line = { version: number; prices: () => HourlyPrices };

/** The price of each of the 24 hours up to an instant (Unix ms). Null for an hour without a sample. */
function dayOfPrices(hours: Pick<PointSeries, 'slice'>, at: number): HourlyPrices {
  const from = intervalStart('hour', at) - DAY + HOUR;
  const prices = Array<number | null>(DAY / HOUR).fill(null);
  for (const sample of samplesOf(hours.slice(from, at))) prices[Math.floor((sample.at - from) / HOUR)] = sample.price;
  return prices;
}

const LINE_DIGITS = 5;
const rounded = (price: number | null) => price && Number(price.toPrecision(LINE_DIGITS));

export type Named = Pick<Token, 'name' | 'symbol'>;
export type Row = Named & {
  latest: SourcedLatest | undefined;
  change: number | null;
  /** If it is requested. */
  line?: Line;
};

export const versionOfAll = (rows: readonly Row[]): string =>
  rows
    .map(({ symbol, latest, change, line }) => [symbol, latest && versionOf(latest), change, line?.version].join())
    .join(';');

export function toRecord({ name, symbol, latest, change, line }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  const sparkline = line && { sparkline_24h: line.prices().map(rounded) };
  if (!latest) return { ...named, at: null, change_24h: null, ...NO_FIGURES, ...sparkline };
  return { ...named, at: new Date(latest.at).toUTCString(), change_24h: change, ...latest.record, ...sparkline };
}

export const writeRows = (rows: readonly Row[]): string => JSON.stringify(rows.map(toRecord));
export type Archive = Pick<ArchiveCache, 'latest' | 'series'>;

/** The latest price of a token and its 24-hour change, calculated in dollars from the chart's series. */
export function priceOf(archive: Archive, { name, symbol }: Named): Row {
  const latest = archive.latest(name);
  const series = [archive.series(name, 'minute'), archive.series(name, 'hour')];
  const change = latest ? dayChange(series, latest.record.current_price, latest.at) : null;
  return { name, symbol, latest, change };
}

export function withLine(archive: Archive, row: Row): Row {
  const hours = archive.series(row.name, 'hour');
  const { latest } = row;
  const prices = () => (latest ? dayOfPrices(hours, latest.at) : []);
  return { ...row, line: { version: hours.version(), prices } };
}
