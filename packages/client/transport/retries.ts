import type { QuotientError } from '../error.ts';

/** Statuses after which the same request may succeed. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
/** Codes of the same statuses that only the service's operator can change. */
const LASTING = new Set(['node_not_configured', 'mail_not_configured']);

/** Without `Retry-After` the first pause is shorter than this; it doubles with each, up to the longest. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 8_000;

/** Whether the same request may succeed later. */
export function isTransient({ code, status, retryAfter }: QuotientError): boolean {
  if (code === 'network') return true;
  // The allowance is back within a call's time only where the service says when.
  if (code === 'quota_exceeded') return retryAfter !== undefined;
  return TRANSIENT.has(status ?? 0) && !LASTING.has(code);
}

/** Whether the service said that there were too many requests at once: nothing was done, and waiting is what helps. */
const isRateLimited = ({ code, status }: QuotientError) => status === 429 && code !== 'quota_exceeded';

/** How a call is repeated: `failures` counts those that were repeated already. */
export function createRetries(method: string, retries: number, random: () => number = Math.random) {
  let failures = 0;
  let made = 0;

  /** Whether a failure of this request is repeated. */
  function isRepeated(error: QuotientError): boolean {
    if (retries === 0) return false;
    // The service refuses such a request before it does anything, whichever method it has.
    if (error.code === 'rate_limited') return true;
    if (method !== 'GET') return false;
    if (isRateLimited(error)) return true;
    failures += 1;
    return isTransient(error) && failures <= retries;
  }

  return {
    /**
     * The pause before the request is repeated, in ms; undefined if it is not. Not before `Retry-After`, and from there
     * on at any moment of a span that doubles: many calls that were refused at once do not come back at once. Half of the
     * time that is left stays for the answer, or for another try.
     */
    pauseAfter(error: QuotientError, left: number): number | undefined {
      const least = (error.retryAfter ?? 0) * 1000;
      if (!isRepeated(error) || least >= left) return undefined;
      const span = Math.min(FIRST_PAUSE_MS * 2 ** made, LONGEST_PAUSE_MS, (left - least) / 2);
      made += 1;
      return least + span * random();
    },
  };
}

/** The allowance of the current period. */
export type Allowance = {
  /** The calls allowed in one period. */
  limit: number;
  /** At least this many are left. */
  remaining: number;
  /** When the next period begins, by this machine's clock. */
  resetsAt: Date;
};

/** A list of named items with parameters that are whole numbers: `"plan";r=9123;t=86400, "burst";r=0;t=1`. */
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

/** The allowance that `RateLimit` and `RateLimit-Policy` tell of (draft-ietf-httpapi-ratelimit-headers). */
export function allowanceOf(headers: Headers, now: number): Allowance | undefined {
  const plan = ({ name }: { name: string }) => name === 'plan';
  const limit = itemsOf(headers.get('ratelimit-policy')).find(plan)?.of('q');
  const state = itemsOf(headers.get('ratelimit')).find(plan);
  const [remaining, seconds] = [state?.of('r'), state?.of('t')];
  if (limit === undefined || remaining === undefined || seconds === undefined) return undefined;
  return { limit, remaining, resetsAt: new Date(now + seconds * 1000) };
}

/** Seconds until each limit that is used up has room again; undefined where the headers tell of none. */
function secondsToRoom(headers: Headers): number | undefined {
  const times = itemsOf(headers.get('ratelimit')).flatMap(({ of }) => (of('r') === 0 ? (of('t') ?? []) : []));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Seconds after which a retry may succeed: `Retry-After` in either form (RFC 9110, 10.2.3), else what `RateLimit` tells. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // `Date.parse` accepts almost anything: "-1" is a date in 2001.
  const seconds = / GMT$/.test(text) ? (Date.parse(text) - now) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? secondsToRoom(headers) : Math.max(0, seconds);
}
