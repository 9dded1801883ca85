import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** The maximum number of wrong tokens from an address within a minute. Further wrong tokens are rejected with 429. */
const MAX_WRONG = 10;
/** The maximum number of addresses whose wrong tokens are counted. The least recent address is dropped first. */
const MAX_ADDRESSES = 1_000;

const wrongToken = (detail: string) =>
  new Problem('admin_token_invalid', detail, { headers: { 'www-authenticate': 'Bearer' } });

/**
 * Checks the operator's token. A token is compared as a keyed hash, in constant time, so neither its length nor its
 * start can be measured. The right token is accepted even after wrong tokens: it is too long to be guessed, and a limit
 * that rejects it would lock out the operator. Wrong tokens are limited for each address.
 */
export function createAdminToken(token: string, clock: Pick<Clock, 'elapsed'>) {
  const key = randomBytes(32);
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest();
  const expected = hashOf(token);
  /** When wrong tokens were sent, in ms of the monotonic clock, oldest first. */
  const wrong = new Map<string, number[]>();

  function noteWrong(address: string, now: number): void {
    const times = (wrong.get(address) ?? []).filter((at) => at > now - MINUTE);
    const [first] = times;
    if (first !== undefined && times.length >= MAX_WRONG) {
      const detail = `${MAX_WRONG} wrong tokens were sent within a minute.`;
      throw new Problem('rate_limited', detail, { retryAfter: (first + MINUTE - now) / SECOND });
    }
    const [oldest = address] = wrong.keys();
    if (wrong.size >= MAX_ADDRESSES && !wrong.has(address)) wrong.delete(oldest);
    // Moves the address to the end, so that the address whose last wrong token is the oldest is dropped first.
    wrong.delete(address);
    wrong.set(address, [...times, now]);
  }

  return {
    /** Throws `admin_token_invalid` and, for more than ten wrong tokens within a minute, `rate_limited`. */
    check(authorization: string | undefined, address: string): void {
      const sentToken = /^bearer +([!-~]+) *$/i.exec(authorization ?? '')?.[1];
      if (sentToken === undefined)
        throw wrongToken('Send the admin token in Authorization, as the Bearer token. API keys are not accepted.');
      if (timingSafeEqual(hashOf(sentToken), expected)) return;
      noteWrong(address, clock.elapsed());
      throw wrongToken('This is not the admin token of this service.');
    },
  };
}
