import { SECOND } from '#core/clock';
import type { Answer } from '#server/cache/answer';
import { UpstreamFailure } from '#upstream/failure';

/**
 * How an answer came about (RFC 9211). `hit`: from what was stored; `fwd=miss; stored`: fetched for this caller;
 * `fwd=stale`: stored and past its time, with `detail` the cause of the failure to refresh it, or `refreshing`.
 */
export function cacheStatus({ settled, dueAt, outcome }: Answer, now: number): string {
  if (settled) return 'quotient; hit';
  const ttl = Math.ceil((dueAt - now) / SECOND);
  const { failure, fetched, refreshing } = outcome;
  if (failure !== undefined) {
    const reason = failure instanceof UpstreamFailure ? failure.reason : 'not_stored';
    return `quotient; fwd=stale; ttl=${ttl}; detail=${reason}`;
  }
  if (fetched) return `quotient; fwd=miss; stored; ttl=${ttl}`;
  if (refreshing) return `quotient; fwd=stale; ttl=${ttl}; detail=refreshing`;
  return `quotient; hit; ttl=${ttl}`;
}
