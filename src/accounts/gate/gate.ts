import type { IncomingHttpHeaders } from 'node:http';
import type { Allowance } from '#accounts/gate/allowance';
import { type Caller, endOf, refuseEnded } from '#accounts/keys/key-cache';
import { remaining } from '#accounts/ledger/lease';
import type { Receipt } from '#accounts/ledger/leases';
import type { Admission, Gate as ServerGate, UsagePath, WantedScope } from '#server/gate';
import { covers, foreignOrigin, isFromAllowedOrigin, type PageHeaders, refuseUse, requireScope } from './key-checks.ts';
import { createBurst, createRateLimits } from './limits.ts';
import { keyAtOnce } from './presented-key.ts';
import type { Tickets } from './tickets.ts';

type Verbs = Pick<
  Allowance,
  'holderAtOnce' | 'holderOfHash' | 'noteUse' | 'spend' | 'spendAtOnce' | 'keep' | 'refund' | 'remaining' | 'limitOf'
>;

/** @param burstPerSecond requests per user, shared by the user's keys; 0 for no limit */
export function createGate(allowance: Verbs, burstPerSecond: number) {
  const burst = createBurst<number>(burstPerSecond);
  const rateLimits = createRateLimits(burstPerSecond);

  /** Records a key's use and, for an owner key, a foreign page that uses the key: its visitors could erase the user. */
  function noteUse(caller: Caller, headers: IncomingHttpHeaders, now: number): void {
    const { origin } = headers;
    const isKnown = origin === undefined || origin === caller.pageOrigin || !covers(caller, 'account');
    allowance.noteUse(caller, now, isKnown ? undefined : foreignOrigin(headers));
  }

  return {
    admitAtOnce(request, scope, path, cost, now) {
      const apiKey = keyAtOnce(request);
      const caller = apiKey === undefined ? undefined : allowance.holderAtOnce(apiKey, now.elapsed);
      if (caller === undefined || endOf(caller, now.wall) !== undefined) return undefined;
      const user = caller.user.key;
      if (!isFromAllowedOrigin(caller, request.headers)) return undefined;
      // Runs before the call is charged, because a request above the burst limit is free.
      if (!covers(caller, scope) || burst.refuses(user, now.wall)) return undefined;
      const receipt = allowance.spendAtOnce(caller, path, now, cost);
      if (receipt === undefined) return undefined;
      burst.admitOrThrow(user, now.wall);
      noteUse(caller, request.headers, now.wall);
      return { user, keyId: caller.id, receipt };
    },

    settle(receipt: Receipt, isPaid, now) {
      if (isPaid) allowance.keep(receipt);
      else allowance.refund(receipt);
      const { period, limit } = receipt.lease;
      return rateLimits.ofCall(period, limit, isPaid ? receipt.remaining : remaining(receipt.lease), now);
    },

    hold({ caller: { hash }, headers, routeOptions }): Admission {
      const { scope, usagePath } = routeOptions.config as { scope: WantedScope; usagePath: UsagePath };
      // The other headers would stay in memory as long as the response.
      const { origin, host, 'sec-fetch-site': site } = headers;
      const page: PageHeaders = { origin, host, 'sec-fetch-site': site };
      const refuse = (holder: Caller, now: number) => {
        refuseEnded(holder, now, {});
        refuseUse(holder, scope, page);
        allowance.noteUse(holder, now);
      };
      return {
        check({ wall }) {
          const holder = allowance.holderOfHash(hash);
          return holder instanceof Promise ? holder.then((found) => refuse(found, wall)) : refuse(holder, wall);
        },

        async charge(calls, isWanted) {
          const caller = await allowance.holderOfHash(hash);
          const receipt = await allowance.spend(caller, usagePath, 0, calls);
          if (!isWanted()) return allowance.refund(receipt);
          allowance.keep(receipt);
        },
      };
    },

    limitsOf({ caller }, code, now) {
      return caller ? rateLimits.ofRefusal(code, caller, allowance.limitOf(caller.user), now) : {};
    },

    covers: ({ caller }, scope) => covers(caller, scope),

    requireScope: ({ caller }, scope) => requireScope(caller, scope),

    charge(request, calls): Promise<void> | undefined {
      const path = request.routeOptions.config.usagePath as UsagePath;
      const receipt = allowance.spend(request.caller, path, request.waited, calls);
      if (receipt instanceof Promise)
        return receipt.then((granted) => {
          request.receipt = granted;
          request.charged = granted;
        });
      request.receipt = receipt;
      request.charged = receipt;
      return undefined;
    },

    refund(request): void {
      if (request.receipt) allowance.refund(request.receipt as Receipt);
      request.receipt = undefined;
    },

    remaining: ({ caller }) => allowance.remaining(caller),

    /** Throws `origin_not_allowed`, `scope_missing` and `rate_limited`. */
    admit(caller: Caller, scope: WantedScope, headers: IncomingHttpHeaders, now: number): void {
      refuseUse(caller, scope, headers);
      noteUse(caller, headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },
  } satisfies Omit<ServerGate, 'issueTicket' | 'requestLog'> & Record<string, unknown>;
}

export type Gate = ServerGate & Pick<ReturnType<typeof createGate>, 'admit'> & { redeemTicket: Tickets['redeem'] };
