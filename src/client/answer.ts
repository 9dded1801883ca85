import { type Gap, QuotientError } from './error.ts';
import type { Problem } from './generated/records.ts';

/** Metadata of an answer. */
export type Answer = {
  method: string;
  /** The path below the base URL, without its query. */
  path: string;
  status: number;
  /** Identifies the request in the service's log. */
  requestId?: string;
  /** Seconds since the data were fetched; absent for data that no longer change. */
  age?: number;
  /** The time of the newest sample. */
  modifiedAt?: Date;
  /** The missing spans of the requested range. */
  gaps: readonly Gap[];
  /** Who told the figures, whoever told most of them first; empty where there are none. */
  sources: readonly string[];
  /** The page of an explorer about it, where the service's operator has named one. */
  explorer?: string;
  /** `Cache-Status` (RFC 9211). */
  cacheStatus?: string;
  allowance?: Allowance;
};

/** The allowance of the current period. */
export type Allowance = {
  /** The calls allowed in one period. */
  limit: number;
  /** At least this many are left. */
  remaining: number;
  /** When the next period begins, by this machine's clock. */
  resetsAt: Date;
};

/** Parses `2013-04-28/2024-11-21`. */
const toGap = (text: string): Gap => {
  const [from = '', thru = ''] = text.trim().split('/');
  return { from, thru };
};

/** The number after `;name=` in a structured field. */
const parameter = (field: string, name: string) => {
  const found = new RegExp(`;\\s*${name}=(\\d+)`).exec(field)?.[1];
  return found === undefined ? undefined : Number(found);
};

function allowanceOf(headers: Headers, now: number): Allowance | undefined {
  const left = headers.get('ratelimit') ?? '';
  const limit = parameter(headers.get('ratelimit-policy') ?? '', 'q');
  const remaining = parameter(left, 'r');
  const seconds = parameter(left, 't');
  if (limit === undefined || remaining === undefined || seconds === undefined) return undefined;
  return { limit, remaining, resetsAt: new Date(now + seconds * 1000) };
}

/** A link of the service (RFC 8288). */
const EXPLORER = /<(https?:\/\/[^>\s]+)>; rel="alternate"; title="explorer"/;

/** Reads the metadata from an answer's headers. */
export function describeAnswer(method: string, path: string, { status, headers }: Response): Answer {
  const text = (name: string) => headers.get(name) ?? undefined;
  const [requestId, age, modified] = [text('x-request-id'), text('age'), text('last-modified')];
  const [gaps, source, cacheStatus] = [text('quotient-gaps'), text('quotient-source'), text('cache-status')];
  const allowance = allowanceOf(headers, Date.now());
  const explorer = EXPLORER.exec(text('link') ?? '')?.[1];
  return {
    method,
    path,
    status,
    sources: source === undefined ? [] : source.split(',').map((one) => one.replace(/;.*/, '').trim()),
    gaps: gaps === undefined ? [] : gaps.split(',').map(toGap),
    ...(requestId !== undefined && { requestId }),
    ...(age !== undefined && { age: Number(age) }),
    ...(modified !== undefined && { modifiedAt: new Date(modified) }),
    ...(explorer !== undefined && { explorer }),
    ...(cacheStatus !== undefined && { cacheStatus }),
    ...(allowance !== undefined && { allowance }),
  };
}

/** `Retry-After` in seconds, from either form (RFC 9110, 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  // `Date.parse` accepts almost anything: "-1" is a date in 2001.
  const seconds = / GMT$/.test(text) ? (Date.parse(text) - Date.now()) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** The text as JSON, or undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of an answer outside 2xx: its problem, or `invalid_answer` if it has none. */
export function problemOf({ status, headers }: Response, text: string): QuotientError {
  const retryAfter = retryAfterOf(headers);
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json');
  const problem = (isProblem ? parseJson(text) : undefined) as Partial<Problem> | undefined;
  const requestId = problem?.requestId ?? headers.get('x-request-id') ?? undefined;
  if (!problem || typeof problem.code !== 'string') {
    return new QuotientError('invalid_answer', `status ${status} without a problem body`, {
      status,
      retryAfter,
      requestId,
    });
  }
  const { code, error, detail, errors, gaps, txhash } = problem;
  return new QuotientError(code, error ?? detail ?? '', {
    status,
    retryAfter,
    requestId,
    errors: Array.isArray(errors) ? errors : undefined,
    gaps: Array.isArray(gaps) ? gaps.map((gap) => toGap(String(gap))) : undefined,
    txhash,
  });
}
