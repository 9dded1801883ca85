import { z } from 'zod';
import { DAY, SECOND } from '#core/clock';
import { type JsonBounds, scanJson } from '#core/json-shape';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { UpstreamAnswer } from './upstream.ts';

/** The maximum `Retry-After` that is applied, in seconds. */
const LONGEST_REST = DAY / SECOND;
/** The maximum length of an upstream's error message in the log, in characters. */
const LONGEST_MESSAGE = 500;
/** An error in a body. `cause` is set if the error is more specific than the status. */
export type ReportedError = { message: string; cause?: FailureCause | undefined };

function causeOf(status: number, own: FailureCause | undefined): FailureCause {
  if (status === 429) return 'rate_limited';
  return own ?? (status >= 500 ? 'server_error' : 'refused');
}

/** Parses `Retry-After` (seconds or HTTP-date) to seconds, at most a day. */
export function retryAfter(headers: UpstreamAnswer['headers'], now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(LONGEST_REST, Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(LONGEST_REST, Math.max(0, (at - now) / SECOND));
}

/** The bounds, checked before parsing. A chart of 5,000 days has 45,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 200_000 };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorShape = z.object({ error: z.string().min(1) });

/** Extracts an error in the most common format: a string member `error`. */
export function errorText(body: unknown): ReportedError | undefined {
  const { data } = errorShape.safeParse(body);
  return data && { message: data.error };
}

/** `errorIn` extracts the upstream's own errors. `apiKey` is masked, because an upstream may repeat it. */
export function createJsonReader(
  upstream: string,
  errorIn: (body: unknown, status: number) => ReportedError | undefined,
  apiKey?: string | undefined,
) {
  const masked = (message: string) => (apiKey ? message.replaceAll(apiKey, '(the key)') : message);

  /** Throws `UpstreamFailure` for errors under any status (even 200), HTML pages, truncated JSON and invalid values. */
  return function read<T>(schema: z.ZodType<T>, answer: UpstreamAnswer, now: number): T {
    const fail = (cause: FailureCause, message: string) =>
      new UpstreamFailure(upstream, cause, masked(message).slice(0, LONGEST_MESSAGE), {
        retryAfter: retryAfter(answer.headers, now),
      });

    const { excess } = scanJson(answer.text, BOUNDS);
    if (excess)
      throw fail(
        'too_large',
        `JSON exceeds the limit of ${BOUNDS[excess]} ${excess === 'depth' ? 'levels' : 'values'}`,
      );
    const body = parseJson(answer.text);
    const error = errorIn(body, answer.status);
    const isPage = body === undefined && /^\s*</.test(answer.text);
    const isEdgeLimit = isPage && /\b1015\b/.test(answer.text);
    if (answer.status !== 200 || error || isEdgeLimit) {
      const cause = isEdgeLimit ? 'rate_limited' : causeOf(answer.status, error?.cause);
      throw fail(cause, `status ${answer.status}: ${error?.message ?? 'no message'}`);
    }
    if (body === undefined) throw fail('not_json', isPage ? 'a page instead of JSON' : 'truncated or invalid JSON');
    const parsed = schema.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw fail('unexpected', `${issue?.path.join('.')}: ${issue?.message}`);
    }
    return parsed.data;
  };
}

/** A number that is sent as text. */
export const NUMERIC = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** A number, or a number sent as text. */
export const numeric = z.union([z.number(), z.string().regex(NUMERIC).transform(Number).pipe(z.number())]);

/** A list of at most `most` elements, counted before they are parsed. Reports only the first invalid element. */
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
          context.addIssue({ code: 'custom', path: [place, ...(issue?.path ?? [])], message: issue?.message });
          return z.NEVER;
        }
        read.push(data);
      }
      return read;
    });

/** A safe non-negative integer, or one sent as text. */
export const whole = numeric.pipe(z.int().nonnegative());
export const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();

/** A non-negative integer of up to 100 digits as text, or a safe integer. */
export const digits = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{1,100}$/)])
  .transform((value) => BigInt(value));

/** Parses an instant after the Unix epoch in units of `unit` ms to Unix ms. Rejects 0. */
export const instant = (unit: number) =>
  whole
    .transform((value) => value * unit)
    .pipe(z.number().positive().max(8.64e15 /* the last instant that a Date can represent */));
