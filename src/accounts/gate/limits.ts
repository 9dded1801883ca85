import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#accounts/gate/allowance';
import { type Period, periodAt } from '#accounts/ledger/plan';
import { SECOND } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';

/**
 * So many requests in a time (ms) for each of those who ask (a user, or a client's address), in this process, all of them
 * at once if they like: the generic cell rate algorithm, which needs one number for each. 0 lets everything pass.
 */
export function createBurst<Who extends number | string>(
  most: number,
  time = SECOND,
  detail = `More than ${most} requests in a second.`,
) {
  const interval = time / most;
  /** A request may be at most this far ahead of an even pace, in ms. Sums of fractions are not exact. */
  const furthest = time + 1e-6;
  /** When the last request of each would have come, had they come evenly; in Unix ms. */
  let arrivals = new Map<Who, number>();
  /** The same of those who have not asked since `turned`: none of it matters once `time` has passed. */
  let older = new Map<Who, number>();
  let turned = 0;

  /** The place of the next request, had they come evenly, and whether it is too far ahead. */
  function placeOf(who: Who, now: number) {
    const last = arrivals.get(who) ?? older.get(who) ?? now;
    // No place is more than `time` ahead: one that is comes from before the clock was set back.
    const arrival = (last - now > furthest ? now : Math.max(now, last)) + interval;
    return { arrival, isTooSoon: arrival - now > furthest };
  }

  function keep(who: Who, arrival: number, now: number): void {
    if (Math.abs(now - turned) > time) {
      older = arrivals;
      arrivals = new Map();
      turned = now;
    }
    arrivals.set(who, arrival);
  }

  return {
    /** Whether `admitOrThrow` would throw. */
    refuses: (who: Who, now: number): boolean => most > 0 && placeOf(who, now).isTooSoon,

    /** Throws `rate_limited` with the seconds to the next slot. */
    admitOrThrow(who: Who, now: number): void {
      if (most === 0) return;
      const { arrival, isTooSoon } = placeOf(who, now);
      if (isTooSoon) {
        throw new Problem('rate_limited', detail, { retryAfter: (arrival - now - time) / SECOND });
      }
      keep(who, arrival, now);
    },

    /** Of how many something is kept: those who asked within the last seconds. */
    size: (): number => arrivals.size + older.size,
  };
}

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

/** Whoever has an IPv6 address has a /64 of them: its first four groups stand for the client. */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (isIP(ip) !== 6 || /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(ip)) return ip.replace(/^::ffff:/i, '');
  const [head = '', tail] = ip.split('%', 1).join('').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
