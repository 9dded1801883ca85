import { z } from 'zod';
import { LARGEST_NUMBER } from '#accounts/keys/api-key';
import { MOST_CALLS } from '#accounts/users/administration';
import { FIRST_INSTANT, LAST_INSTANT } from '#core/clock';
import { invalidRequest, Problem } from '#core/problems';
import { hasHidden } from '#core/visible-text';

/* `fix` states the accepted form. Submitted values are never repeated. */

const LARGEST_PAGE = 100;
const USUAL_PAGE = 50;

export const limit = z
  .string()
  .regex(/^\d{1,3}$/, `must be an integer from 1 to ${LARGEST_PAGE}`)
  .transform(Number)
  .refine((value) => value >= 1 && value <= LARGEST_PAGE, `must be an integer from 1 to ${LARGEST_PAGE}`)
  .default(USUAL_PAGE)
  .meta({
    description: 'The size of a page',
    fix: `an integer from 1 to ${LARGEST_PAGE}`,
    wire: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE, examples: [USUAL_PAGE] },
  });

export const cursor = z
  .string()
  .regex(/^[\w-]{1,500}$/, 'is not a cursor')
  .optional()
  .meta({
    description: 'Where the page starts',
    fix: 'the `nextCursor` of the previous page, with the same parameters',
  });

const number = (name: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a positive integer')
    .transform(Number)
    .meta({
      description: name,
      fix: 'a positive integer',
      wire: { type: 'integer', minimum: 1, examples: [1] },
    });

export const userKey = number('The record number of the user');
export const keyId = number('The ID of the key');

/** A path with a number that the database's type cannot hold does not exist. */
export function existing(...numbers: number[]): void {
  if (numbers.some((one) => one > LARGEST_NUMBER)) throw new Problem('not_found', 'There is no such user or key.');
}

/** Parses an ISO 8601 time to Unix ms. With an offset, the year of a text can differ from that in UTC. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time' })
  .meta({ examples: ['2030-01-31T12:00:00Z'] })
  .transform((text) => Date.parse(text))
  .refine((at) => at >= FIRST_INSTANT && at <= LAST_INSTANT, 'must be in the years 1 to 9999');

/** One line that a page, a terminal or a log shows completely. */
const lineOf = (most: number) =>
  z
    .string('must be a string')
    .trim()
    .min(1, 'is empty')
    .max(most, 'is too long')
    .refine((text) => !hasHidden(text), 'contains control or invisible characters')
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode');

const lineMeta = (description: string, example: string, most: number) => ({
  description,
  fix: `1 to ${most} characters in one line, without control or invisible characters`,
  examples: [example],
});

export const line = (description: string, example: string, most: number) =>
  lineOf(most).meta(lineMeta(description, example, most));

export const lineOrNull = (description: string, example: string, most: number) =>
  lineOf(most)
    .nullable()
    .meta(lineMeta(description, example, most));

export const calls = (description: string, min: number, example: number) =>
  z
    .int(`must be an integer from ${min} to ${MOST_CALLS}`)
    .min(min, `must be an integer from ${min} to ${MOST_CALLS}`)
    .max(MOST_CALLS, `must be an integer from ${min} to ${MOST_CALLS}`)
    .meta({ description, fix: `an integer from ${min} to ${MOST_CALLS}`, examples: [example] });

/** A place in an ordered list: the values of the last row of a page. */
export type Place = readonly (string | number)[];
/** An instant in a place, in Unix ms. */
export const instantInPlace = z.int().min(FIRST_INSTANT).max(LAST_INSTANT);

export const writeCursor = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Throws `invalid_request` for a text that is not a cursor of this list. */
export function readCursor<Form extends z.ZodType<Place>>(
  text: string | undefined,
  form: Form,
): z.output<Form> | undefined {
  if (text === undefined) return undefined;
  try {
    return form.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    const fix = 'use the nextCursor of the previous page, with the same parameters';
    throw invalidRequest({ location: 'query.cursor', message: 'is not a cursor of this list', fix });
  }
}
