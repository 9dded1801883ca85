/** A date, UTC: a `Date` anywhere in it, or its text `YYYY-MM-DD`. */
export type DateInput = Date | string;

/** The date as YYYY-MM-DD. Throws `TypeError` for what is none. */
export function isoDate(input: DateInput): string {
  const isText = typeof input === 'string';
  const date = isText ? new Date(`${input}T00:00:00.000Z`) : input;
  if (Number.isNaN(date.getTime())) throw new TypeError('a date must be a Date, or text like 2024-01-31');
  const text = date.toISOString().slice(0, 10);
  // 2024-02-31 is read as the second of March by some engines.
  if (isText && text !== input) throw new TypeError('a date must be one that exists, like 2024-01-31');
  return text;
}

/** The same as DD-MM-YYYY. */
export const dayFirst = (input: DateInput) => isoDate(input).split('-').reverse().join('-');
