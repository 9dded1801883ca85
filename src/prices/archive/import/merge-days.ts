import { startOfDate } from '#core/clock';
import { isMidnightSample } from '#prices/model/interval';
import { type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';

type Day = Sample & { settled: boolean; source: MarketSourceName };

/** What became of a given row, compared with the stored rows of its date. */
type MergedDay<Row extends Day> =
  | { outcome: 'added' | 'changed' | 'skipped'; given: Row }
  | { outcome: 'kept'; given: Row; stored: Row };

const isSame = (a: Day, b: Day) =>
  a.at === b.at &&
  a.price === b.price &&
  a.marketCap === b.marketCap &&
  a.volume === b.volume &&
  a.source === b.source;

/**
 * Merges rows, one for each date, into the stored ones. Equal rows are skipped (and marked as settled, where they are by
 * now); an unsettled row is replaced; a settled row that differs is kept, unless `replace`. In any case, a row of a source
 * preferred to the given one's is kept, and, of one source, a row of midnight beside one of another time of its date.
 *
 * @param stored ascending
 * @returns what became of each row; `gone`, the times (Unix ms) of stored rows that go; `samples`, what is written
 */
export function mergeDays<Row extends Day>(
  stored: readonly Row[],
  given: readonly Row[],
  replace: boolean,
): { merged: MergedDay<Row>[]; gone: number[]; samples: Row[] } {
  const storedOf = Map.groupBy(stored, ({ at }) => startOfDate(at));
  const outranks = (mine: Row, row: Row) => {
    const isLate = isMidnightSample(mine.at) && !isMidnightSample(row.at);
    return preferredTo(row.source).includes(mine.source) || (mine.source === row.source && isLate);
  };
  const gone: number[] = [];
  const samples: Row[] = [];
  const merged = given.map((row): MergedDay<Row> => {
    const rows = storedOf.get(startOfDate(row.at)) ?? [];
    const mine = rows.find(({ settled }) => settled) ?? rows[0];
    if (mine && isSame(mine, row)) {
      if (row.settled && !mine.settled) samples.push(row);
      return { outcome: 'skipped', given: row };
    }
    if (mine && (outranks(mine, row) || (mine.settled && !replace)))
      return { outcome: 'kept', given: row, stored: mine };
    gone.push(...rows.map(({ at }) => at).filter((at) => at !== row.at));
    samples.push(row);
    return { outcome: mine ? 'changed' : 'added', given: row };
  });
  return { merged, gone, samples };
}
