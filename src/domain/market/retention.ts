import { DAY, HOUR } from '#domain/clock';
import { isMarketSource, MARKET_SOURCES, type MarketSourceName } from './provenance.ts';

/** How long samples are kept after their own time, in ms; those of a source that is not named, for good. */
export type Retention = Partial<Record<MarketSourceName, number>>;

const UNITS = { h: HOUR, d: DAY } as const;
const FORM = `must be like coingecko=24h,kraken=365d (whole numbers of h or d, each source once: ${MARKET_SOURCES.join(', ')})`;

/** Reads `coingecko=24h,kraken=365d`. Throws `RangeError` with the form that is wanted. */
export function parseRetention(text: string): Retention {
  const retention: Retention = {};
  for (const entry of text.split(',')) {
    const [, name = '', amount, unit] = /^\s*([\w-]+)=([1-9]\d{0,4})([hd])\s*$/.exec(entry) ?? [];
    if (!isMarketSource(name) || name in retention) throw new RangeError(FORM);
    retention[name] = Number(amount) * UNITS[unit as keyof typeof UNITS];
  }
  return retention;
}

/** The first instant of which samples of a source are kept, as of now; -Infinity where all are. */
export const keptFrom = (retention: Retention, source: MarketSourceName, now: number): number =>
  now - (retention[source] ?? Number.POSITIVE_INFINITY);
