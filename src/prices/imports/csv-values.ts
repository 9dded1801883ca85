import { HOUR, MINUTE, SECOND } from '#core/clock';
import type { DecimalMark } from './csv-file.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?<month>${MONTHS.join('|')})[a-z]*`;
const CLOCK = String.raw`(?<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)`;
const ZONE = String.raw`(?<zone>UTC|GMT|Z|[+-]\d\d(?::?\d\d)?)`;
const END = `(?:[ T]${CLOCK}(?: ?${ZONE})?)?$`;
const FORMS = [
  // `2015-08-07 00:00:00 UTC`, ISO 8601, and `2015/08/07`.
  String.raw`^(?<year>\d{4})(?<mark>[-/])(?<month>\d\d)\k<mark>(?<day>\d\d)`,
  // HTTP-dates, `7 Aug 2015` and `Aug 07, 2015`. A month in digits would be ambiguous here.
  String.raw`^(?:[a-z]{3}, )?(?<day>\d{1,2})[ -]${MONTH}[ -](?<year>\d{4})`,
  String.raw`^${MONTH} (?<day>\d{1,2}),? (?<year>\d{4})`,
].map((form) => new RegExp(form + END, 'i'));
/** Unix seconds since 2001, with or without a fraction, and Unix milliseconds. */
const UNIX_SECONDS = /^\d{10}(?:\.\d{1,9})?$/;
const UNIX_MS = /^\d{13}$/;
const LATEST_OFFSET = 14 * HOUR;

const monthNumber = (month: string) =>
  /^\d/.test(month) ? month : String(MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, '0');

/** Returns NaN for an offset that no zone has. */
function offsetOf(zone = 'Z'): number {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE;
  if (offset > LATEST_OFFSET || Number(minutes) >= 60) return Number.NaN;
  return sign === '-' ? -offset : offset;
}

/** Parses a time to Unix ms. A time without a zone is in UTC. Returns undefined for a time that can be misread. */
export function readTime(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return Math.round(Number(text) * SECOND);
  if (UNIX_MS.test(text)) return Number(text);
  const parts = FORMS.map((form) => form.exec(text)).find((match) => match !== null)?.groups;
  if (!parts) return undefined;
  const { year, month = '', day = '', clock = '00:00', zone } = parts;
  const date = `${year}-${monthNumber(month)}-${day.padStart(2, '0')}`;
  const local = Date.parse(`${date}T${clock}Z`);
  const isDate = !Number.isNaN(local) && new Date(local).toISOString().startsWith(date);
  const at = isDate ? local - offsetOf(zone?.toUpperCase()) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
/** Numbers whose only mark may be the decimal mark or a separator of thousands. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
/** Spaces and apostrophes separate only thousands. */
const SPACES = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;

const exchangeMarks = (text: string) => text.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ','));

const isGrouped = (text: string) => GROUPED.test(text) && !AMBIGUOUS.test(text);

/**
 * Parses the numbers of a row with the decimal mark of the file, or with the other mark if they can only be read in one
 * way. `1,234` is accepted only if another number of the row shows which mark separates thousands. Returns undefined
 * for a text that is not a number, and `ambiguous` for a number with two readings.
 */
export function readNumbers(fields: readonly string[], decimal: DecimalMark): (number | 'ambiguous' | undefined)[] {
  // Almost all files have only such numbers.
  if (decimal === '.' && fields.every((text) => PLAIN.test(text))) return fields.map(Number);
  const texts = fields.map((text) => text.replace(/^\$ ?/, '').replace(SPACES, ''));
  const exchanged = texts.map(exchangeMarks);
  const [own, other] = decimal === '.' ? [texts, exchanged] : [exchanged, texts];
  const isGroupedRow = own.some(isGrouped);
  const isOtherRow = !isGroupedRow && other.some(isGrouped);
  const [first, second] = isOtherRow ? [other, own] : [own, other];
  const hasGroups = isGroupedRow || isOtherRow;
  return first.map((text, i) => {
    if (PLAIN.test(text)) return Number(text);
    if (isGrouped(text) || (hasGroups && GROUPED.test(text))) return Number(text.replaceAll(',', ''));
    if (AMBIGUOUS.test(text)) return 'ambiguous';
    return PLAIN.test(second[i] ?? '') && !hasGroups ? Number(second[i]) : undefined;
  });
}
