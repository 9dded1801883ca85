import { FIGURES, type Figure } from './figures.ts';
import type { StatisticsSymbol } from './statistics-sources.ts';

/** Chains without mining. Sources report 0, or the figure of the last mined block, for what they do not have. */
const PROOF_OF_STAKE: ReadonlySet<StatisticsSymbol> = new Set<StatisticsSymbol>(['eth', 'sol']);
const MINING: ReadonlySet<Figure> = new Set<Figure>(['hashrate', 'difficulty']);

/** The figures that a chain has, whichever source provides them, in the order of the record. */
export const figuresOf = (symbol: StatisticsSymbol): readonly Figure[] =>
  PROOF_OF_STAKE.has(symbol) ? FIGURES.filter((figure) => !MINING.has(figure)) : FIGURES;
