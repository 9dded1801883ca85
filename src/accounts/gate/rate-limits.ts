import type { Caller } from '#accounts/gate/allowance';
import { type Period, periodAt } from '#accounts/ledger/plan';
import { SECOND } from '#core/clock';
import type { ProblemCode } from '#core/problems';

/** Header fields as a flat list of names and values. */
type Fields = string[];

/**
 * Creates what tells a caller the limits that hold, and what is left (draft-ietf-httpapi-ratelimit-headers, structured
 * fields): `w` is the length of a period, `t` the seconds to its end, `r` what is left.
 * @param perSecond the burst limit, 0 for none
 */
export function createRateLimits(perSecond: number) {
  const burst = perSecond > 0 ? `, "burst";q=${perSecond};w=1` : '';

  function policy({ start, end }: Period, limit: number): string {
    return `"plan";q=${limit};w=${Math.round((end - start) / SECOND)}${burst}`;
  }

  const plan = ({ end }: Period, remaining: number, now: number): string =>
    `"plan";r=${remaining};t=${Math.max(0, Math.ceil((end - now) / SECOND))}`;

  return {
    /** Of an answer that was paid for, or that is given back. */
    ofCall: (period: Period, limit: number, remaining: number, now: number): Fields => [
      'ratelimit-policy',
      policy(period, limit),
      'ratelimit',
      plan(period, remaining, now),
    ],

    /** Of a refusal with 429: which of the two limits was met. */
    ofRefusal(code: ProblemCode, { user }: Caller, now: number): Record<string, string> {
      const period = periodAt(user.plan, user.anchor, now);
      return {
        'ratelimit-policy': policy(period, user.limit),
        ratelimit: code === 'quota_exceeded' ? plan(period, 0, now) : '"burst";r=0;t=1',
      };
    },
  };
}
