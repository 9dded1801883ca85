/** A UTC date: a `Date` within it, or `YYYY-MM-DD`. */
export type DateInput = Date | string;

/** An instant: a `Date`, or text in ISO 8601. */
export type TimeInput = Date | string;

/** The date as YYYY-MM-DD. Throws `TypeError` if it is invalid. */
export function isoDate(input: DateInput): string {
  const isText = typeof input === 'string';
  const date = isText ? new Date(`${input}T00:00:00.000Z`) : input;
  if (Number.isNaN(date.getTime())) throw new TypeError('a date must be a Date, or text like 2024-01-31');
  const text = date.toISOString().slice(0, 10);
  // Some engines read 2024-02-31 as 2 March.
  if (isText && text !== input) throw new TypeError('a date must be one that exists, like 2024-01-31');
  return text;
}

/** The same as DD-MM-YYYY. */
export const dayFirst = (input: DateInput) => isoDate(input).split('-').reverse().join('-');

/** A text is the service's to judge. */
export const isoInstant = (input: TimeInput) => (typeof input === 'string' ? input : input.toISOString());
