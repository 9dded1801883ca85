import { HAS_DECIMAL_COMMA } from './format.ts';

/** The names are the values of the service's parameter `separator`. */
type Separator = 'comma' | 'semicolon';
/** The separator that spreadsheets in the browser's locale expect. */
export const SEPARATOR: Separator = HAS_DECIMAL_COMMA ? 'semicolon' : 'comma';

export type CsvField = string | number | null | undefined;

function written(field: CsvField, separator: Separator): string {
  const text = String(field ?? '');
  const local = typeof field === 'number' && separator === 'semicolon' ? text.replace('.', ',') : text;
  return /[",;\r\n]/.test(local) ? `"${local.replaceAll('"', '""')}"` : local;
}

/** Writes CSV (RFC 4180). If the separator is a semicolon, numbers have a decimal comma. Missing fields are empty. */
export function csvText(rows: readonly (readonly CsvField[])[], separator = SEPARATOR): string {
  const mark = separator === 'semicolon' ? ';' : ',';
  return rows.map((row) => `${row.map((field) => written(field, separator)).join(mark)}\r\n`).join('');
}
