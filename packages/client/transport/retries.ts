import type { QuotientError } from '../error.ts';

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
/** Codes of problems that have a transient status, but that only the operator can resolve. */
const PERMANENT = new Set(['node_not_configured', 'mail_not_configured']);

/** The upper bound of the first random delay. It doubles with each retry, up to the maximum. */
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 8_000;

/** Codes of exhausted limits that reset at an announced time. */
const EXHAUSTED = new Set(['quota_exceeded', 'key_limit_exceeded']);

export function isTransient({ code, status, retryAfter }: QuotientError): boolean {
  if (code === 'network') return true;
  // A retry is useful only if the service announces when the limit resets.
  if (EXHAUSTED.has(code)) return retryAfter !== undefined;
  return TRANSIENT.has(status ?? 0) && !PERMANENT.has(code);
}

const isRateLimited = ({ code, status }: QuotientError) => status === 429 && !EXHAUSTED.has(code);

export function createRetries(method: string, retries: number, random: () => number = Math.random) {
  let failures = 0;
  let attempts = 0;

  function isRepeated(error: QuotientError): boolean {
    if (retries === 0) return false;
    // The service has not executed the request, so a retry is safe for any method.
    if (error.code === 'rate_limited') return true;
    if (method !== 'GET') return false;
    if (isRateLimited(error)) return true;
    failures += 1;
    return isTransient(error) && failures <= retries;
  }

  return {
    /**
     * The delay in ms before the request is repeated. Undefined if it is not repeated. Adds a random time to
     * `Retry-After`, so that calls rejected together are not repeated together. At least half of the time that is left
     * after `Retry-After` remains for the response.
     */
    pauseAfter(error: QuotientError, left: number): number | undefined {
      const least = (error.retryAfter ?? 0) * 1000;
      if (!isRepeated(error) || least >= left) return undefined;
      const span = Math.min(FIRST_PAUSE_MS * 2 ** attempts, MAX_PAUSE_MS, (left - least) / 2);
      attempts += 1;
      return least + span * random();
    },
  };
}

export type Allowance = {
  /** The number of calls allowed in one period. */
  limit: number;
  /** A lower bound of the remaining calls. */
  remaining: number;
  /** The start of the next period, according to the local clock. */
  resetsAt: Date;
};

/** Parses a list of named items with integer parameters: `"plan";r=9123;t=86400, "burst";r=0;t=1`. */
function itemsOf(field: string | null): { name: string; of: (parameter: string) => number | undefined }[] {
  return [...(field ?? '').matchAll(/"([^"]*)"((?:\s*;\s*[a-z*][\w.*-]*(?:=[^;,]*)?)*)/g)].map(
    ([, name = '', parameters = '']) => ({
      name,
      of(parameter) {
        const found = new RegExp(`;\\s*${parameter}=(\\d{1,15})\\s*(?:;|$)`).exec(parameters)?.[1];
        return found === undefined ? undefined : Number(found);
      },
    }),
  );
}

/** Parses `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
export function allowanceOf(headers: Headers, now: number): Allowance | undefined {
  const plan = ({ name }: { name: string }) => name === 'plan';
  const limit = itemsOf(headers.get('ratelimit-policy')).find(plan)?.of('q');
  const state = itemsOf(headers.get('ratelimit')).find(plan);
  const remaining = state?.of('r');
  const seconds = state?.of('t');
  if (limit === undefined || remaining === undefined || seconds === undefined) return undefined;
  return { limit, remaining, resetsAt: new Date(now + seconds * 1000) };
}

/** The number of seconds until all exhausted limits reset. Undefined if no limit is exhausted. */
function secondsToReset(headers: Headers): number | undefined {
  const times = itemsOf(headers.get('ratelimit')).flatMap(({ of }) => (of('r') === 0 ? (of('t') ?? []) : []));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/**
 * Seconds from either form of `Retry-After` (RFC 9110, section 10.2.3), or else from `RateLimit`. A date is relative to
 * the date of the response, because the local clock may be wrong.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // `Date.parse` accepts almost anything: it parses "-1" as a date in 2001.
  const seconds = / GMT$/.test(text)
    ? (Date.parse(text) - (Date.parse(headers.get('date') ?? '') || now)) / 1000
    : Number.NaN;
  return Number.isNaN(seconds) ? secondsToReset(headers) : Math.max(0, seconds);
}
