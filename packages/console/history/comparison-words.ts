import { change, numbers, onDate, onDateAt } from '../../pages/format.ts';
import { historyCsv, spreadsheetTime } from '../api/history-csv.ts';
import { formatMetric, type HistoryView } from './chart-choice.ts';
import { type Comparison, indexed, type Line } from './comparison.ts';

/* A comparison as text: for the legend, for screen readers, as a table and as CSV. */

const small = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const large = numbers({ maximumFractionDigits: 0 });
export const indexInWords = (value: number) => (value < 10_000 ? small : large).format(value);

/** A row of a line as text: its value, and the amount of an index or the change of an amount since the first. */
export function rowInWords({ amounts, values }: Line, row: number, view: HistoryView): [value: string, note: string] {
  const amount = amounts[row];
  const value = values[row];
  if (amount === undefined || value === undefined) return ['no data', ''];
  if (view.mode === 'indexed') return [indexInWords(value), formatMetric(view, amount)];
  const first = amounts.find((one) => one !== undefined && one > 0);
  return [formatMetric(view, amount), first === undefined ? '' : change(amount / first - 1)];
}

/** The last row in which the line has a value; the first row if it has none. */
export const lastRow = ({ values }: Line) =>
  Math.max(
    0,
    values.findLastIndex((value) => value !== undefined),
  );

/** `Bitcoin 103.40 ($64,907.13), Ethereum no data`. */
export const rowsInWords = ({ lines }: Comparison, row: number, view: HistoryView): string =>
  lines
    .map((line) => {
      const [value, note] = rowInWords(line, row, view);
      return `${line.token.title} ${value}${note && ` (${note})`}`;
    })
    .join(', ');

/** Writes the amounts of all tokens, followed by their indices. */
export function comparisonCsv({ dates, lines }: Comparison, { metric, currency }: HistoryView): string {
  const end = metric === 'market_cap' ? '_market_cap' : '';
  const names = lines.map(({ token }) => token.tokenName);
  const heads = ['date', ...names.map((name) => `${name}${end}`), ...names.map((name) => `${name}_index`)];
  const columns = [...lines.map(({ amounts }) => amounts), ...lines.map(({ amounts }) => indexed(amounts))];
  const rows = dates.map((date, row) => [spreadsheetTime(date), ...columns.map((values) => values[row])]);
  return historyCsv(heads, rows, currency);
}

/** The date of a row, and what the values are. */
export function rowTitle({ dates }: Comparison, row: number, { mode }: HistoryView): [date: string, note: string] {
  const date = dates[row];
  const note = mode === 'indexed' ? 'Each line starts at 100.' : 'The legend has the change since the start.';
  return date ? [onDateAt(date), note] : ['\u00a0', 'no data'];
}

/** The rows of a table of the values that the chart shows. */
export const comparisonRows = ({ dates, lines }: Comparison, view: HistoryView): string[][] =>
  dates.map((date, row) => [onDateAt(date), ...lines.map((line) => rowInWords(line, row, view)[0])]);

/** The first date of a line that starts after the others. */
export function sinceInWords({ values }: Line, dates: readonly Date[]): string {
  const first = values.findIndex((value) => value !== undefined);
  const date = first > 0 ? dates[first] : undefined;
  return date ? `since ${onDate(date)}` : '';
}
