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
