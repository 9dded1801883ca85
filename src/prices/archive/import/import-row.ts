import { isMarketSource, MARKET_SOURCES, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { ToldSample } from '#prices/model/points';
import { FIRST_BLOCK } from '#upstream/plausible';

/** The columns of the aggregator's own export of a coin's daily history; the service's own CSV calls the first `date`. */
export const IMPORT_COLUMNS = ['snapped_at', 'price', 'market_cap', 'total_volume'] as const;
/** As the aggregator's, and who told the row: a CSV of the service itself may have it. */
export type ImportColumn = (typeof IMPORT_COLUMNS)[number] | 'source';

/** A row, or what is wrong with it, and its time if that much can be read. */
type ReadRow = { sample: ToldSample } | { fault: string; at: number | undefined };

const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?: UTC|Z)?)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * `2015-08-07 00:00:00 UTC`, or one of the forms of the service's own CSV (ISO 8601, a date alone is its midnight), in
 * Unix ms; undefined for another form and for a time that does not exist.
 */
function readTime(text: string): number | undefined {
  const [, date, time = '00:00:00'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${date}`) ? at : undefined;
}

/** A figure: null where the field is empty, else a finite number from 0, the double nearest to its digits. */
function readFigure(column: ImportColumn, text: string): number | null | { fault: string } {
  if (text === '') return null;
  if (!NUMBER.test(text)) return { fault: `${column} is not a number` };
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: `${column} is too large` };
  if (value < 0) return { fault: `${column} is negative` };
  return value + 0; // -0 becomes 0
}

/** Why a time cannot be that of a daily row. */
function timeFault(at: number, now: number): string | undefined {
  if (at > now) return 'snapped_at lies in the future';
  if (at < FIRST_BLOCK) return 'snapped_at is before 2009-01-03, the first block of all';
  return undefined;
}

/**
 * One row of an export.
 *
 * @param columns what each field is, as the file's header has it
 * @param now Unix ms; a row of the future is wrong
 */
export function readImportRow(
  fields: readonly string[],
  columns: readonly ImportColumn[],
  now: number,
): ReadRow {
  const field = (column: ImportColumn) => fields[columns.indexOf(column)] ?? '';
  const at = readTime(field('snapped_at'));
  if (fields.length !== columns.length) {
    return { fault: `has ${fields.length} columns in place of ${columns.length}`, at };
  }
  if (at === undefined) {
    return { fault: 'snapped_at is not a time like 2015-08-07 00:00:00 UTC', at };
  }
  const [price, marketCap, volume] = (['price', 'market_cap', 'total_volume'] as const).map((column) =>
    readFigure(column, field(column)),
  ) as [ReturnType<typeof readFigure>, ReturnType<typeof readFigure>, ReturnType<typeof readFigure>];
  const fault = timeFault(at, now);
  if (fault !== undefined) return { fault, at };
  const source = field('source') || PRIMARY_SOURCE;
  if (!isMarketSource(source)) return { fault: `source is none of ${MARKET_SOURCES.join(', ')}`, at };
  if (price === 0) return { fault: 'price is not above 0', at };
  for (const figure of [price, marketCap, volume]) {
    if (figure !== null && typeof figure === 'object') return { fault: figure.fault, at };
  }
  return { sample: { at, price, marketCap, volume, source } as ToldSample };
}
