import { z } from 'zod';
import { FIRST_INSTANT, LAST_INSTANT } from '#core/clock';
import { hasHidden } from '#core/forms/visible-text';
import { invalidRequest, Problem } from '#core/problems';
import { LARGEST_NUMBER } from '#keys/api-key';
import { MAX_CALLS } from '#users/administration/administration';

/* `fix` states the accepted form. Submitted values are never repeated. */

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

export const limit = z
  .string()
  .regex(/^\d{1,3}$/, `must be an integer from 1 to ${MAX_PAGE}`)
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_PAGE, `must be an integer from 1 to ${MAX_PAGE}`)
  .default(DEFAULT_PAGE)
  .meta({
    description: 'The size of a page',
    fix: `an integer from 1 to ${MAX_PAGE}`,
    wire: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE, examples: [DEFAULT_PAGE] },
  });

export const cursor = z
  .string()
  .regex(/^[\w-]{1,500}$/, 'is not a cursor')
  .optional()
  .meta({
    description: 'Where the page starts',
    fix: 'the `nextCursor` of the previous page, with the same parameters',
  });

const positive = (description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a positive integer')
    .transform(Number)
    .meta({
      description,
      fix: 'a positive integer',
      wire: { type: 'integer', minimum: 1, examples: [1] },
    });

export const userKey = positive('The record number of the user');
export const keyId = positive('The ID of the key');

/** Throws `not_found` for a number in the path that the database's type cannot hold. */
export function assertRecordNumbers(...numbers: number[]): void {
  if (numbers.some((number) => number > LARGEST_NUMBER))
    throw new Problem('not_found', 'There is no such user or key.');
}

/** Parses an ISO 8601 time to Unix ms. If the text has an offset, its year can differ from the year in UTC. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time' })
  .meta({ examples: ['2030-01-31T12:00:00Z'] })
  .transform((text) => Date.parse(text))
  .refine((at) => at >= FIRST_INSTANT && at <= LAST_INSTANT, 'must be in the years 1 to 9999');

/** Single-line text that a page, a terminal or a log shows completely. */
const lineOf = (max: number) =>
  z
    .string('must be a string')
    .trim()
    .min(1, 'is empty')
    .max(max, 'is too long')
    .refine((text) => !hasHidden(text), 'contains control or invisible characters')
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode');

const lineMeta = (description: string, example: string, max: number) => ({
  description,
  fix: `1 to ${max} characters in one line, without control or invisible characters`,
  examples: [example],
});

export const singleLineText = (description: string, example: string, max: number) =>
  lineOf(max).meta(lineMeta(description, example, max));

export const singleLineTextOrNull = (description: string, example: string, max: number) =>
  lineOf(max)
    .nullable()
    .meta(lineMeta(description, example, max));

export function integer(min: number, max: number) {
  const fault = `must be an integer from ${min} to ${max}`;
  return z.int(fault).min(min, fault).max(max, fault);
}

export const calls = (description: string, min: number, example: number) =>
  integer(min, MAX_CALLS).meta({ description, fix: `an integer from ${min} to ${MAX_CALLS}`, examples: [example] });

/** A cursor consists of the values of a page's last row by which the list is ordered. */
type Cursor = readonly (string | number)[];
/** An instant in a cursor, in Unix ms. */
export const cursorInstant = z.int().min(FIRST_INSTANT).max(LAST_INSTANT);

export type PageQuery = { cursor?: string | undefined; limit: number };

/** Cuts `rows`, which contain one row more than a page if another page follows. */
export function cutPage<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNext = rows.length > limit && last !== undefined;
  const nextCursor = hasNext ? Buffer.from(JSON.stringify(cursorOf(last))).toString('base64url') : null;
  return { page, nextCursor };
}

/** Throws `invalid_request` for a text that is not a cursor of this list. */
export function readCursor<Form extends z.ZodType>(text: string | undefined, form: Form): z.output<Form> | undefined {
  if (text === undefined) return undefined;
  try {
    return form.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    const fix = 'use the nextCursor of the previous page, with the same parameters';
    throw invalidRequest({ location: 'query.cursor', message: 'is not a cursor of this list', fix });
  }
}
