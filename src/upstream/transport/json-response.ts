import { z } from 'zod';
import { DAY, SECOND } from '#core/clock';
import { type JsonBounds, scanJson } from '#core/forms/json-shape';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { HttpResponse } from './http-client.ts';
import { textOf } from './response-body.ts';

/** The maximum `Retry-After` that is applied, in seconds. */
const MAX_RETRY_AFTER = DAY / SECOND;
/** The maximum length of an upstream's error message in the log, in characters. */
const MAX_MESSAGE = 500;
/** An error in a body. `cause` is more specific than the status. `isOfSource`: the whole upstream is unavailable. */
export type ReportedError = { message: string; cause?: FailureCause | undefined; isOfSource?: boolean };

function causeOf(status: number, own: FailureCause | undefined): FailureCause {
  if (status === 429) return 'rate_limited';
  return own ?? (status >= 500 ? 'server_error' : 'refused');
}

/** One or several numbers of seconds, because a proxy may add a second header or a fraction. */
const SECONDS = /^\+?\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*$/;
/** An HTTP-date begins with a weekday. `Date.parse` reads other texts, such as `-5` and `1.5`, as dates in the past. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? /;

/**
 * Parses `Retry-After` to seconds, at most a day. A date is compared with the response's `Date`, because clocks may be
 * wrong.
 */
export function retryAfter(headers: HttpResponse['headers'], now: number): number | undefined {
  const value = String(headers['retry-after'] ?? '').trim();
  if (SECONDS.test(value)) return Math.min(MAX_RETRY_AFTER, Math.ceil(Math.max(...value.split(',').map(Number))));
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  const sentAt = Date.parse(String(headers.date)) || now;
  return Number.isNaN(at) ? undefined : Math.min(MAX_RETRY_AFTER, Math.max(0, (at - sentAt) / SECOND));
}

/** The bounds, checked before parsing. A chart of 5,000 days has 45,000 values. */
const BOUNDS: JsonBounds = { depth: 64, values: 200_000 };

/**
 * A string, or a number that JSON cannot represent. An unterminated string extends to the end of the text: a new search
 * from each of its escaped quotes blocked the process for minutes.
 */
const STRING_OR_NO_NUMBER = /"(?:[^"\\]|\\.)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/** Reads `NaN` and `Infinity`, which some upstreams write for an unknown figure, as null. */
function parseJson(text: string): unknown {
  for (const read of [
    () => text,
    () => text.replace(STRING_OR_NO_NUMBER, (found) => (found.startsWith('"') ? found : 'null')),
  ]) {
    try {
      return JSON.parse(read());
    } catch {
      // The text is not JSON.
    }
  }
  return undefined;
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
  return function read<T>(schema: z.ZodType<T>, response: HttpResponse, now: number): T {
    const text = textOf(response);
    const fail = (cause: FailureCause, message: string, isOfSource = false) =>
      new UpstreamFailure(upstream, cause, masked(message).slice(0, MAX_MESSAGE), {
        retryAfter: retryAfter(response.headers, now),
        isOfSource,
      });

    const { excess } = scanJson(text, BOUNDS);
    if (excess)
      throw fail(
        'too_large',
        `JSON exceeds the limit of ${BOUNDS[excess]} ${excess === 'depth' ? 'levels' : 'values'}`,
      );
    const body = parseJson(text);
    const error = errorIn(body, response.status);
    const isPage = body === undefined && /^\s*</.test(text);
    const isEdgeLimit = isPage && /\b1015\b/.test(text);
    if (response.status !== 200 || error || isEdgeLimit) {
      const cause = isEdgeLimit ? 'rate_limited' : causeOf(response.status, error?.cause);
      throw fail(cause, `status ${response.status}: ${error?.message ?? 'no message'}`, error?.isOfSource);
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

export const NUMERIC = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** A number, or a number sent as text. */
export const numberOrNumericString = z.union([
  z.number(),
  z.string().regex(NUMERIC).transform(Number).pipe(z.number()),
]);

/** A safe non-negative integer, either as a number or as text. */
export const whole = numberOrNumericString.pipe(z.int().nonnegative());
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
