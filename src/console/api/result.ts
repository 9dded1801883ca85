import type { Gap } from '../../client/index.ts';
import { at, span } from '../format.ts';

/** Data younger than this is shown with its time only. */
export const FRESH_MS = 10 * 60_000;

/** An answer of the service, and its age. */
export type Result<T> = {
  value: T;
  /** When the service fetched it, by this machine's clock; undefined for data that no longer changes. */
  fetchedAt: Date | undefined;
  /** Why the service could not refresh it, in words; undefined when it is not stale. */
  stale: string | undefined;
  gaps: readonly Gap[];
  sources: readonly string[];
};

export type DataAge = Pick<Result<unknown>, 'fetchedAt' | 'stale'>;

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
  };
}

export function ageText({ fetchedAt, stale }: DataAge, now: number): string {
  if (fetchedAt === undefined) return '';
  const age = now - fetchedAt.getTime();
  if (stale !== undefined) return `${span(age)} old (source: ${stale})`;
  return `As of ${at(fetchedAt, now)}${age < FRESH_MS ? '' : `, ${span(age)} ago`}`;
}
