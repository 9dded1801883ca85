/** The maximum number of lines in a table, including the header. */
const MAX_LINES = 56;

export type Cell = string | number | null | undefined;
/** The cells of a row, or a record whose members are in the order of the columns. */
export type Row = readonly Cell[] | Readonly<Record<string, Cell>>;

/** `count` positions from 0 through `last`, evenly spaced, both ends included. */
const spread = (last: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)));

/** Quotes a text that could be read as several cells or lines, such as the log of a transaction. */
const cellText = (cell: Cell): string | number =>
  typeof cell === 'string' && /[",\r\n]/.test(cell) ? JSON.stringify(cell) : (cell ?? '');

/** Comma-separated lines. A longer table contains evenly spaced rows, among them the first and the last. */
export function table(columns: readonly string[], rows: readonly Row[]): string {
  const maxRows = MAX_LINES - 2;
  const isLong = rows.length > maxRows;
  const shown = isLong ? spread(rows.length - 1, maxRows).map((i) => rows[i] as Row) : rows;
  const lines = [columns, ...shown].map((row) => Object.values(row).map(cellText).join(','));
  if (isLong) lines.push(`${maxRows} of ${rows.length} rows, evenly spaced. structuredContent contains all.`);
  return lines.join('\n');
}
