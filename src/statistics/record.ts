import { SECOND } from '#core/clock';
import { type TokenStatistics, tokenStatistics } from '#records';
import { FIGURES, type Figure } from './figures.ts';
import type { ChainSample, StatisticsSymbol } from './statistics-sources.ts';

/** A sample as the public record, its members in the contract's order: what the source did not tell is null. */
export function statisticsRecord(
  symbol: StatisticsSymbol,
  { id, at, partnerSymbol, figures }: ChainSample,
): TokenStatistics {
  const name = symbol.toUpperCase();
  const told = Object.fromEntries(FIGURES.map((figure) => [figure, figures[figure] ?? null])) as Pick<
    TokenStatistics,
    Figure
  >;
  return {
    id: id ?? null,
    time: Math.floor(at / SECOND),
    symbol: name,
    partner_symbol: partnerSymbol ?? name,
    ...told,
  };
}

const UNTOLD = Object.fromEntries(FIGURES.map((figure) => [figure, null]));

/**
 * A record that was stored by this release or an earlier one: a figure that it lacks is null, and a size of blocks that
 * it has a fraction of is rounded. Undefined for what is no record.
 */
export function readStatisticsRecord(stored: unknown): TokenStatistics | undefined {
  const record: Record<string, unknown> = { ...UNTOLD, ...(stored as object) };
  const { block_size: size } = record;
  return tokenStatistics.safeParse({
    ...record,
    ...(typeof size === 'number' && { block_size: Math.round(size) }),
  }).data;
}
