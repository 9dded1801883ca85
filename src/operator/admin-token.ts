import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** Wrong tokens within a minute, after which further requests are rejected without a comparison. */
const MOST_WRONG = 10;
/** The addresses whose wrong tokens are counted. The one that was first is dropped for a further one. */
const MOST_ADDRESSES = 1_000;

const wrongToken = (detail: string) =>
  new Problem('admin_token_invalid', detail, { headers: { 'www-authenticate': 'Bearer' } });

/**
 * Checks the operator's token. A token is compared as a keyed hash, in constant time, so neither its length nor its start
 * can be measured. Each address has a limit of its own, so wrong tokens from other addresses do not lock the operator
 * out.
 */
export function createAdminToken(token: string, clock: Pick<Clock, 'elapsed'>) {
  const key = randomBytes(32);
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest();
  const expected = hashOf(token);
  /** When wrong tokens were sent, in ms of the monotonic clock, oldest first. */
  const wrong = new Map<string, number[]>();

  function refuse(address: string, now: number): number[] {
    const times = (wrong.get(address) ?? []).filter((at) => at > now - MINUTE);
    const [first] = times;
    if (first === undefined) wrong.delete(address);
    if (first === undefined || times.length < MOST_WRONG) return times;
    const detail = `${MOST_WRONG} wrong tokens were sent within a minute.`;
    throw new Problem('rate_limited', detail, { retryAfter: (first + MINUTE - now) / SECOND });
  }

  return {
    /** Throws `admin_token_invalid` and, after ten wrong tokens within a minute, `rate_limited`. */
    check(authorization: string | undefined, address: string): void {
      const now = clock.elapsed();
      const times = refuse(address, now);
      const given = /^bearer +([!-~]+) *$/i.exec(authorization ?? '')?.[1];
      if (given === undefined)
        throw wrongToken('Send the admin token in Authorization, as the Bearer token. API keys are not accepted.');
      if (timingSafeEqual(hashOf(given), expected)) return;
      const [oldest = address] = wrong.keys();
      if (wrong.size >= MOST_ADDRESSES) wrong.delete(oldest);
      wrong.set(address, [...times, now]);
      throw wrongToken('This is not the admin token of this service.');
    },
  };
}

export type AdminToken = ReturnType<typeof createAdminToken>;
