import { BUILT_IN_NAMES, type TokenName } from '#catalogue/token';
import type { MetricsRegistry } from '#core/metrics';

/** Counts tokens whose price differs greatly between sources. Only built-in tokens have their own counters. */
export function createPriceDifferences(registry: MetricsRegistry): (token: TokenName) => void {
  const count = registry.counter(
    'quotient_price_differences_total',
    'Tokens whose price changed by more than a fifth when another source took over',
    ['token'],
  );
  for (const token of [...BUILT_IN_NAMES, 'other']) count({ token }, 0);
  return (token) => count({ token: BUILT_IN_NAMES.includes(token) ? token : 'other' });
}

type PriceReading = { bytes: number; maxBytes: number; inactive: number };

export function addPriceReadings(registry: MetricsRegistry, read: () => PriceReading): void {
  const rows = () => [read()];
  registry.gauges(rows, () => ({}), [
    ['quotient_archive_memory_bytes', 'Memory used by cached series and candles', ({ bytes }) => bytes],
    [
      'quotient_archive_memory_limit_bytes',
      'Limit above which the least recently used series are evicted',
      ({ maxBytes }) => maxBytes,
    ],
    [
      'quotient_tokens_inactive',
      'Tokens in memory whose last price is older than a day or unknown',
      ({ inactive }) => inactive,
    ],
  ]);
}
