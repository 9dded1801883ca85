import { z } from 'zod';
import { DAY, SECOND } from '#core/clock';
import { type JsonBounds, shapeOfJson } from '#core/json-shape';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { UpstreamAnswer } from './upstream.ts';

/** However long an upstream asks to be left alone, it is tried again after a day; in seconds. */
const LONGEST_REST = DAY / SECOND;
/** Of what an upstream says went wrong, no more than this goes into the log, in characters. */
const LONGEST_MESSAGE = 500;

/** An error that a body tells of: what it says, and what that means where the status alone would not say so. */
export type ToldError = { message: string; cause?: FailureCause | undefined };

function causeOf(status: number, told: FailureCause | undefined): FailureCause {
  if (status === 429) return 'rate_limited';
  return told ?? (status >= 500 ? 'server_error' : 'refused');
}

/** Seconds of a `Retry-After`, which is a number or an HTTP-date: a day at most. */
export function retryAfter(headers: UpstreamAnswer['headers'], now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(LONGEST_REST, Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(LONGEST_REST, Math.max(0, (at - now) / SECOND));
}

/** What an answer may be before it is parsed: five thousand days of a chart are 45,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 200_000 };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorShape = z.object({ error: z.string().min(1) });

/** The commonest kind of error: a text as the member `error`. */
export function errorText(body: unknown): ToldError | undefined {
  const { data } = errorShape.safeParse(body);
  return data && { message: data.error };
}

/**
 * How the answers of one upstream are read. `errorIn` finds the upstream's own kind of error in a body, under
 * whatever status it came, or says what a status means; everything else is common to all who should answer with JSON. An upstream may repeat the
 * key that it was sent: `apiKey` goes into no message.
 */
export function createJsonReader(
  upstream: string,
  errorIn: (body: unknown, status: number) => ToldError | undefined,
  apiKey?: string | undefined,
) {
  const masked = (message: string) => (apiKey ? message.replaceAll(apiKey, '(the key)') : message);

  /**
   * The body of an answer in the shape that is wanted. Throws `UpstreamFailure` for everything else: an error under
   * any status (also 200), a page where JSON belongs, JSON cut short, JSON of another shape.
   */
  return function read<T>(schema: z.ZodType<T>, answer: UpstreamAnswer, now: number): T {
    const fail = (cause: FailureCause, message: string) =>
      new UpstreamFailure(upstream, cause, masked(message).slice(0, LONGEST_MESSAGE), {
        retryAfter: retryAfter(answer.headers, now),
      });

    const { excess } = shapeOfJson(answer.text, BOUNDS);
    if (excess) throw fail('too_large', `JSON beyond its bound of ${BOUNDS[excess]} (${excess})`);
    const body = parseJson(answer.text);
    const error = errorIn(body, answer.status);
    const isPage = body === undefined && /^\s*</.test(answer.text);
    const isEdgeLimit = isPage && /\b1015\b/.test(answer.text);
    if (answer.status !== 200 || error || isEdgeLimit) {
      const cause = isEdgeLimit ? 'rate_limited' : causeOf(answer.status, error?.cause);
      throw fail(cause, `status ${answer.status}: ${error?.message ?? 'no message'}`);
    }
    if (body === undefined) {
      throw fail('not_json', isPage ? 'a page where JSON belongs' : 'JSON cut short or broken');
    }
    const parsed = schema.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw fail('unexpected', `${issue?.path.join('.')}: ${issue?.message}`);
    }
    return parsed.data;
  };
}

/** How a number is written that comes as a text. */
export const NUMERIC = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A number, also one that comes as a text. */
export const numeric = z.union([z.number(), z.string().regex(NUMERIC).transform(Number).pipe(z.number())]);

/**
 * A list of so many elements at most, counted before they are looked at; of those that are wrong the first alone is
 * told.
 */
export const listOf = <T>(element: z.ZodType<T>, most: number) =>
  z
    .array(z.unknown())
    .max(most)
    .transform((elements, context) => {
      const read: T[] = [];
      for (const [place, one] of elements.entries()) {
        const { data, error } = element.safeParse(one);
        if (error) {
          const [issue] = error.issues;
          context.addIssue({
            code: 'custom',
            path: [place, ...(issue?.path ?? [])],
            message: issue?.message,
          });
          return z.NEVER;
        }
        read.push(data);
      }
      return read;
    });

/** A whole number that is not negative and can be held exactly, also one that comes as a text. */
export const whole = numeric.pipe(z.int().nonnegative());

/** A figure that may be missing. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();

/** A whole number of any length, exactly: as digits, or as a number where that is exact. */
export const digits = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{1,100}$/)])
  .transform((value) => BigInt(value));

/** A point in time, counted from the Unix epoch in units of so many ms; in Unix ms. 0 is none. */
export const instant = (unit: number) =>
  whole
    .transform((value) => value * unit)
    .pipe(z.number().positive().max(8.64e15 /* the last moment a date can be made of */));
