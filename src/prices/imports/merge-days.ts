import { startOfDate } from '#core/clock';
import { isMidnightSample } from '#prices/model/interval';
import { type MarketSourceName, sourcesPreferredOver } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';

type Day = Sample & { final: boolean; source: MarketSourceName };

type MergedDay<Row extends Day> =
  | { outcome: 'added' | 'changed' | 'skipped'; given: Row }
  | { outcome: 'kept'; given: Row; stored: Row };

const isSame = (a: Day, b: Day) =>
  a.at === b.at && a.price === b.price && a.marketCap === b.marketCap && a.volume === b.volume && a.source === b.source;

/**
 * Merges rows, one per date, into stored rows (ascending). A final stored row stays unless `replace` is set, a
 * preferred source's row and a midnight row always stay, and other rows are replaced. Returns each row's outcome, the
 * times (Unix ms) of stored rows to delete (`gone`), and the rows to write (`samples`).
 */
export function mergeDays<Row extends Day>(
  stored: readonly Row[],
  imported: readonly Row[],
  replace: boolean,
): { merged: MergedDay<Row>[]; gone: number[]; samples: Row[] } {
  const storedOf = Map.groupBy(stored, ({ at }) => startOfDate(at));
  const outranks = (current: Row, row: Row) => {
    const isLate = isMidnightSample(current.at) && !isMidnightSample(row.at);
    return sourcesPreferredOver(row.source).includes(current.source) || (current.source === row.source && isLate);
  };
  const gone: number[] = [];
  const samples: Row[] = [];
  const merged = imported.map((row): MergedDay<Row> => {
    const rows = storedOf.get(startOfDate(row.at)) ?? [];
    const current = rows.find(({ final }) => final) ?? rows[0];
    if (current && isSame(current, row)) {
      if (row.final && !current.final) samples.push(row);
      return { outcome: 'skipped', given: row };
    }
    if (current && (outranks(current, row) || (current.final && !replace)))
      return { outcome: 'kept', given: row, stored: current };
    gone.push(...rows.map(({ at }) => at).filter((at) => at !== row.at));
    samples.push(row);
    return { outcome: current ? 'changed' : 'added', given: row };
  });
  return { merged, gone, samples };
}
