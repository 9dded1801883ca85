import { SECOND } from './clock.ts';
import type { TokenStatistics } from './records.ts';
import { type ChainSample, FIGURES, type StatisticsSymbol } from './statistics.ts';

/** A sample as the public record, its members in the contract's order: what the source did not tell is null. */
export function statisticsRecord(
  symbol: StatisticsSymbol,
  { id, at, partnerSymbol, figures }: ChainSample,
): TokenStatistics {
  const name = symbol.toUpperCase();
  const told = Object.fromEntries(FIGURES.map((figure) => [figure, figures[figure] ?? null])) as Pick<
    TokenStatistics,
    (typeof FIGURES)[number]
  >;
  return {
    id: id ?? null,
    time: Math.floor(at / SECOND),
    symbol: name,
    partner_symbol: partnerSymbol ?? name,
    ...told,
  };
}
