import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** Wrong tokens within a minute, after which further requests are rejected without a comparison. */
const MOST_WRONG = 10;
/** Addresses from which the right token was sent: each has a limit of its own. */
const MOST_KNOWN = 1_000;
/** All other addresses share a limit, so that many addresses cannot guess faster than one. */
const STRANGERS = '';

const wrongToken = (detail: string) =>
  new Problem('admin_token_invalid', detail, { headers: { 'www-authenticate': 'Bearer' } });

/**
 * Checks the operator's token. A token is compared as a keyed hash, in constant time, so neither its length nor its start
 * can be measured. An operator's address is not locked out by wrong tokens from other addresses.
 */
export function createAdminToken(token: string, clock: Pick<Clock, 'elapsed'>) {
  const key = randomBytes(32);
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest();
  const expected = hashOf(token);
  const known = new Set<string>();
  /** When wrong tokens were sent, in ms of the monotonic clock, oldest first. */
  const wrong = new Map<string, number[]>();

  function refuse(who: string, now: number): number[] {
    const times = (wrong.get(who) ?? []).filter((at) => at > now - MINUTE);
    const [first] = times;
    if (first === undefined) wrong.delete(who);
    if (first === undefined || times.length < MOST_WRONG) return times;
    const detail = `${MOST_WRONG} wrong tokens were sent within a minute.`;
    throw new Problem('rate_limited', detail, { retryAfter: (first + MINUTE - now) / SECOND });
  }

  return {
    /** Throws `admin_token_invalid` and, after ten wrong tokens within a minute, `rate_limited`. */
    check(authorization: string | undefined, address: string): void {
      const now = clock.elapsed();
      const who = known.has(address) ? address : STRANGERS;
      const times = refuse(who, now);
      const given = /^bearer +([!-~]+) *$/i.exec(authorization ?? '')?.[1];
      if (given === undefined)
        throw wrongToken('Send the admin token in Authorization, as the Bearer token. API keys are not accepted.');
      if (timingSafeEqual(hashOf(given), expected)) {
        if (known.size < MOST_KNOWN) known.add(address);
        return;
      }
      wrong.set(who, [...times, now]);
      throw wrongToken('This is not the admin token of this service.');
    },
  };
}

export type AdminToken = ReturnType<typeof createAdminToken>;
