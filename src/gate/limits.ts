import { DAY, SECOND, startOfDate } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';
import type { Caller } from '#keys/key-cache';
import { type Period, periodAt } from '#users/plan';

/** Allows `maxRequests` in `time` ms per user or address (generic cell rate algorithm). 0 disables the limit. */
export function createBurst<Client extends number | string>(
  maxRequests: number,
  time = SECOND,
  detail = `The limit is ${maxRequests} requests per second.`,
) {
  const interval = time / maxRequests;
  /** How far a request may be ahead of an even rate, in ms. The small addition absorbs rounding errors. */
  const furthest = time + 1e-6;
  /** The time up to which each client's slots are used, in Unix ms. */
  let arrivals = new Map<Client, number>();
  /** The entries of the previous generation. Entries that are older than `time` ms have no effect. */
  let older = new Map<Client, number>();
  let turned = 0;

  function nextArrival(client: Client, now: number, requests = 1) {
    const last = arrivals.get(client) ?? older.get(client) ?? now;
    // An entry that is further ahead than this was written before the clock was set back.
    const arrival = (last - now > furthest ? now : Math.max(now, last)) + requests * interval;
    return { arrival, isTooSoon: arrival - now > furthest };
  }

  function keep(client: Client, arrival: number, now: number): void {
    if (Math.abs(now - turned) > time) {
      older = arrivals;
      arrivals = new Map();
      turned = now;
    }
    arrivals.set(client, arrival);
  }

  return {
    isExceeded: (client: Client, now: number): boolean => maxRequests > 0 && nextArrival(client, now).isTooSoon,

    /** Throws `rate_limited` with the number of seconds until the next slot. */
    admitOrThrow(client: Client, now: number, requests = 1): void {
      if (maxRequests === 0) return;
      const { arrival, isTooSoon } = nextArrival(client, now, requests);
      if (isTooSoon) throw new Problem('rate_limited', detail, { retryAfter: (arrival - now - time) / SECOND });
      keep(client, arrival, now);
    },

    size: (): number => arrivals.size + older.size,
  };
}

type Fields = string[];

/**
 * Builds the fields that report the limits (draft-ietf-httpapi-ratelimit-headers). `w` is the length of a period in
 * seconds, `t` is the time until its end in seconds, and `r` is the number of remaining calls.
 * @param perSecond the burst limit; 0 for none
 */
export function createRateLimits(perSecond: number) {
  const burst = perSecond > 0 ? `, "burst";q=${perSecond};w=1` : '';

  function policy({ start, end }: Period, limit: number): string {
    return `"plan";q=${limit};w=${Math.round((end - start) / SECOND)}${burst}`;
  }

  const plan = ({ end }: Period, remaining: number, now: number): string =>
    `"plan";r=${remaining};t=${Math.max(0, Math.ceil((end - now) / SECOND))}`;

  return {
    ofCall: (period: Period, limit: number, remaining: number, now: number): Fields => [
      'ratelimit-policy',
      policy(period, limit),
      'ratelimit',
      plan(period, remaining, now),
    ],

    ofRejection(code: ProblemCode, { user, dailyLimit }: Caller, limit: number, now: number): Record<string, string> {
      const period = periodAt(user.plan, user.anchor, now);
      if (code === 'key_limit_exceeded' && dailyLimit !== undefined)
        return {
          'ratelimit-policy': `${policy(period, limit)}, "key";q=${dailyLimit};w=${DAY / SECOND}`,
          ratelimit: `"key";r=0;t=${Math.ceil((startOfDate(now) + DAY - now) / SECOND)}`,
        };
      return {
        'ratelimit-policy': policy(period, limit),
        ...(code === 'quota_exceeded' && { ratelimit: plan(period, 0, now) }),
        ...(code === 'rate_limited' && { ratelimit: '"burst";r=0;t=1' }),
      };
    },
  };
}
