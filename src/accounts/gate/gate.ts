import type { IncomingHttpHeaders } from 'node:http';
import type { Allowance, Caller, Receipt } from '#accounts/gate/allowance';
import { covers, refuseUncovered } from '#accounts/keys/key-problems';
import { remaining } from '#accounts/ledger/lease';
import type { Gate as ServerGate } from '#server/gate';
import type { WantedScope } from '#server/route-facts';
import { createBurst } from './burst.ts';
import { keyAtOnce } from './presented-key.ts';
import { createRateLimits } from './rate-limits.ts';

/** An origin as browsers send it (RFC 6454), in a length that a name has. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

/** The origin of the page that sends a request, where it is not the service's own. */
function foreignOrigin({
  origin = '',
  host,
  'sec-fetch-site': site,
}: IncomingHttpHeaders): string | undefined {
  if (site === 'same-origin' || origin.slice(origin.indexOf('://') + 3) === host) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}

type Verbs = Pick<Allowance, 'holderAtOnce' | 'noteUse' | 'spendAtOnce' | 'keep' | 'refund'>;

/** @param burstPerSecond how many requests of a user are let in, 0 for all; the keys of a user share it */
export function createGate(allowance: Verbs, burstPerSecond: number) {
  const burst = createBurst<number>(burstPerSecond);
  const rateLimits = createRateLimits(burstPerSecond);

  /**
   * Notes that a caller's key is used, and of an owner key also the page of another site that does: a key that can erase
   * its user has no place in one.
   */
  function noteUse(caller: Caller, headers: IncomingHttpHeaders, now: number): void {
    const { origin } = headers;
    const isKnown = origin === undefined || origin === caller.pageOrigin || !covers(caller, 'account');
    allowance.noteUse(caller, now, isKnown ? undefined : foreignOrigin(headers));
  }

  const gate: ServerGate = {
    admitAtOnce(request, scope, cost, now) {
      const apiKey = keyAtOnce(request);
      const caller = apiKey === undefined ? undefined : allowance.holderAtOnce(apiKey, now);
      if (caller === undefined) return undefined;
      const user = caller.user.key;
      // Looked at first: what is refused for coming too fast must not count among what the key spends.
      if (!covers(caller, scope) || burst.refuses(user, now.wall)) return undefined;
      const receipt = allowance.spendAtOnce(caller, now, cost);
      if (receipt === undefined) return undefined;
      burst.admitOrThrow(user, now.wall);
      noteUse(caller, request.headers, now.wall);
      return { user, receipt };
    },

    settle(receipt: Receipt, isPaid, now) {
      if (isPaid) allowance.keep(receipt);
      else allowance.refund(receipt);
      const { period, limit } = receipt.lease;
      return rateLimits.ofCall(period, limit, isPaid ? receipt.remaining : remaining(receipt.lease), now);
    },

    limitsOf: ({ caller }, code, now) => (caller ? rateLimits.ofRefusal(code, caller, now) : {}),
  };

  return {
    ...gate,

    /** Lets the holder of a key in. Throws `scope_missing` or `rate_limited`. */
    admit(caller: Caller, scope: WantedScope, headers: IncomingHttpHeaders, now: number): void {
      refuseUncovered(caller, scope);
      noteUse(caller, headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },
  };
}

export type Gate = ReturnType<typeof createGate>;
