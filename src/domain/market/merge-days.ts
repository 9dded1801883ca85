import { startOfDate } from '#domain/clock';
import { isMidnightSample } from './interval.ts';
import type { Sample } from './sample.ts';

type Day = Sample & { settled: boolean };

/** What became of a given row, compared with the stored rows of its date. */
type MergedDay<Row extends Day> =
  | { outcome: 'added' | 'changed' | 'skipped'; given: Row }
  | { outcome: 'kept'; given: Row; stored: Row };

const isSame = (a: Sample, b: Sample) =>
  a.at === b.at && a.price === b.price && a.marketCap === b.marketCap && a.volume === b.volume;

/**
 * Merges rows, one for each date, into the stored ones. Equal rows are skipped (and marked as settled, where they are by
 * now); an unsettled row is replaced; a settled row that differs is kept, unless `replace`. A stored row of
 * midnight is kept beside one of another time of its date, whatever `replace` says.
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
  const gone: number[] = [];
  const samples: Row[] = [];
  const merged = given.map((row): MergedDay<Row> => {
    const rows = storedOf.get(startOfDate(row.at)) ?? [];
    const mine = rows.find(({ settled }) => settled) ?? rows[0];
    if (mine && isSame(mine, row)) {
      if (row.settled && !mine.settled) samples.push(row);
      return { outcome: 'skipped', given: row };
    }
    const isBetter = mine && isMidnightSample(mine.at) && !isMidnightSample(row.at);
    if (mine && (isBetter || (mine.settled && !replace)))
      return { outcome: 'kept', given: row, stored: mine };
    gone.push(...rows.map(({ at }) => at).filter((at) => at !== row.at));
    samples.push(row);
    return { outcome: mine ? 'changed' : 'added', given: row };
  });
  return { merged, gone, samples };
}
