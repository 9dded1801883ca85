import type { WindowRows } from '#prices/history/window-rows';
import { sourcesByFrequency } from '#prices/model/market-sources';
import { firstSample } from '#prices/model/points';
import { wholeOf } from '#prices/model/series';
import { convertColumns } from './conversion.ts';
import type { Valuation } from './valuation.ts';

/** The rows of a window in another currency, without those of a time at which nobody can say what it is worth. */
export function convertedRows(rows: WindowRows, valuation: Valuation): WindowRows {
  const columns = convertColumns(rows.columns(), valuation.worth);
  const isNamed = rows.version !== undefined && valuation.version !== undefined;
  return {
    isEmpty: columns.at.length === 0,
    isSettled: rows.isSettled && valuation.isSettled(rows.lastAt),
    lastAt: columns.at.at(-1) ?? rows.lastAt,
    isWide: rows.isWide,
    sources: sourcesByFrequency(columns.source),
    first: () => firstSample(wholeOf(columns)),
    columns: () => columns,
    version: isNamed ? `${rows.version};${valuation.version}` : undefined,
  };
}
