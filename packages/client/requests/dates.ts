import { invalid } from '../core/error.ts';

/** A UTC date: a `Date` within it, or `YYYY-MM-DD`. */
export type DateInput = Date | string;

/** An instant: a `Date`, or text in ISO 8601. */
export type TimeInput = Date | string;

/** The date as YYYY-MM-DD. Throws `invalid_request` if it is none. */
export function isoDate(input: DateInput): string {
  const date = typeof input === 'string' ? new Date(`${input}T00:00:00.000Z`) : input;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
    throw invalid('a date must be a Date, or text like 2024-01-31');
  }
  const text = date.toISOString().slice(0, 10);
  // Some engines read 2024-02-31 as 2 March.
  if (date !== input && text !== input) throw invalid('a date must be one that exists, like 2024-01-31');
  return text;
}

/** The same as DD-MM-YYYY. */
export const dayFirst = (input: DateInput) => isoDate(input).split('-').reverse().join('-');

/** The instant in ISO 8601; a text is the service's to judge. Throws `invalid_request` for an invalid `Date`. */
export function isoInstant(input: TimeInput): string {
  if (typeof input === 'string') return input;
  if (!(input instanceof Date) || Number.isNaN(input.getTime())) {
    throw invalid('a time must be a Date, or text in ISO 8601');
  }
  return input.toISOString();
}
