import { SECOND } from '#core/clock';
import { type TokenStatistics, tokenStatistics } from '#statistics/records';
import { FIGURES, type Figure } from './figures.ts';
import { type ChainSample, isStatisticsSymbol, type StatisticsSymbol } from './statistics-sources.ts';

/** Chains without mining. For these chains, sources report 0 or the figure of the last mined block. */
const PROOF_OF_STAKE: ReadonlySet<StatisticsSymbol> = new Set<StatisticsSymbol>(['eth', 'sol']);
const MINING: ReadonlySet<Figure> = new Set<Figure>(['hashrate', 'difficulty']);

export const figuresOf = (symbol: StatisticsSymbol): readonly Figure[] =>
  PROOF_OF_STAKE.has(symbol) ? FIGURES.filter((figure) => !MINING.has(figure)) : FIGURES;

/** Converts a sample to the public record. A figure that the source did not report is null. */
export function statisticsRecord(
  symbol: StatisticsSymbol,
  { id, at, partnerSymbol, figures }: ChainSample,
): TokenStatistics {
  const name = symbol.toUpperCase();
  const reported = Object.fromEntries(FIGURES.map((figure) => [figure, figures[figure] ?? null])) as Pick<
    TokenStatistics,
    Figure
  >;
  return {
    id: id ?? null,
    time: Math.floor(at / SECOND),
    symbol: name,
    partner_symbol: partnerSymbol ?? name,
    ...reported,
  };
}

const ALL_NULL = Object.fromEntries(FIGURES.map((figure) => [figure, null]));

/** Sets to null the figures that the chain does not have. An earlier release stored the 0 that a source reported. */
function withoutForeignFigures(record: TokenStatistics): TokenStatistics {
  const symbol = record.symbol.toLowerCase();
  if (!isStatisticsSymbol(symbol)) return record;
  const figures = Object.fromEntries(figuresOf(symbol).map((figure) => [figure, record[figure]]));
  return { ...record, ...ALL_NULL, ...figures };
}

/** Sets missing and foreign figures to null, and rounds a fractional block size. Undefined for other values. */
export function readStatisticsRecord(stored: unknown): TokenStatistics | undefined {
  const record: Record<string, unknown> = { ...ALL_NULL, ...(stored as object) };
  const { block_size: size } = record;
  const { data } = tokenStatistics.safeParse({
    ...record,
    ...(typeof size === 'number' && { block_size: Math.round(size) }),
  });
  return data && withoutForeignFigures(data);
}
