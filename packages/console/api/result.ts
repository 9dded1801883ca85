import type { Gap, QuotientError } from '../../client/index.ts';
import { at, span } from '../core/format.ts';

/** Data younger than this is shown with its time only. */
export const FRESH_MS = 10 * 60_000;

export type Result<T> = {
  value: T;
  /** When the service fetched it, by this machine's clock; undefined for data that no longer changes. */
  fetchedAt: Date | undefined;
  /** Why the service could not refresh it, in words; undefined when it is not stale. */
  stale: string | undefined;
  gaps: readonly Gap[];
  sources: readonly string[];
  /** It is the service's free sample, and not the answer to a call. */
  isSample?: true;
  /** Why this is an earlier answer: what the last call failed with. */
  failure?: QuotientError | undefined;
};

export type DataAge = Pick<Result<unknown>, 'fetchedAt' | 'stale' | 'failure'>;

/** The `detail` of Cache-Status, in words. */
const REASONS: Readonly<Record<string, string>> = {
  unreachable: 'cannot be reached',
  timeout: 'timed out',
  rate_limited: 'rate limit reached',
  over_budget: 'call budget used up for now',
  resting: 'unavailable, next try soon',
  server_error: 'server error',
  refused: 'request refused',
  stale: 'tells old figures',
};

/** The reason in `fwd=stale; …; detail=timeout` of a Cache-Status (RFC 9211). A refresh in progress is no failure. */
export function staleReason(status: string | undefined): string | undefined {
  if (!status?.includes('fwd=stale')) return undefined;
  const reason = /detail=([\w-]+)/.exec(status)?.[1] ?? 'unknown';
  return reason === 'refreshing' ? undefined : (REASONS[reason] ?? 'unavailable');
}

/** The oldest of several answers, and whether any of them is stale. */
export function oldest(answers: readonly DataAge[]): DataAge {
  const times = answers.flatMap(({ fetchedAt }) => (fetchedAt ? [fetchedAt.getTime()] : []));
  return {
    fetchedAt: times.length > 0 ? new Date(Math.min(...times)) : undefined,
    stale: answers.find(({ stale }) => stale !== undefined)?.stale,
    failure: answers.find(({ failure }) => failure !== undefined)?.failure,
  };
}

/** Why figures are not updated, by the code of the error. */
const FAILURES: Readonly<Record<string, string>> = {
  network: 'the service cannot be reached',
  timeout: 'the service does not answer in time',
  invalid_answer: 'the answer does not come from the service',
  rate_limited: 'too many calls at once',
  quota_exceeded: 'the allowance is used up',
  scope_missing: 'the key may not read this',
  api_key_expired: 'the key has expired',
  api_key_revoked: 'the key was revoked',
  upstream_unavailable: 'the source cannot be reached',
  upstream_timeout: 'the source does not answer in time',
};

function failureInWords({ code, status }: QuotientError): string {
  const words = FAILURES[code];
  if (words !== undefined) return words;
  return status === 401 ? 'the key is not valid any more' : `the service reports ${code}`;
}

const asOf = (instant: Date, now: number, isLong: boolean) =>
  `As of ${at(instant, now)}${isLong ? `, ${span(now - instant.getTime())} ago` : ''}`;

export const isOld = ({ stale, failure }: DataAge) => stale !== undefined || failure !== undefined;

export function ageText({ fetchedAt, stale, failure }: DataAge, now: number): string {
  if (failure) {
    const reason = failureInWords(failure);
    return fetchedAt ? `${asOf(fetchedAt, now, true)}: ${reason}` : `Not updated: ${reason}`;
  }
  if (fetchedAt === undefined) return '';
  const age = now - fetchedAt.getTime();
  if (stale !== undefined) return `${span(age)} old (source: ${stale})`;
  return asOf(fetchedAt, now, age >= FRESH_MS);
}
