import { countedFigures } from './daily-difference.ts';
import { FIGURES, type Figure, type NullReason, type StoredStatistics } from './statistics-records.ts';
import { figuresOf, type StatisticsSymbol } from './statistics-sources.ts';

/** Why each null member of a record is null. `reported` are the figures that its source provides for the chain. */
export function nullReasons(
  record: StoredStatistics,
  symbol: StatisticsSymbol,
  reported: readonly Figure[],
): Record<string, NullReason> {
  const applicable = figuresOf(symbol);
  const counted: readonly Figure[] = countedFigures(reported);
  function reasonOf(figure: Figure): NullReason {
    if (!applicable.includes(figure)) return 'not_applicable';
    if (counted.includes(figure)) return 'pending';
    return reported.includes(figure) ? 'missing' : 'not_reported';
  }
  const figures = FIGURES.filter((figure) => record[figure] === null).map((figure) => [figure, reasonOf(figure)]);
  return Object.fromEntries([...(record.id === null ? [['id', 'not_reported']] : []), ...figures]);
}
