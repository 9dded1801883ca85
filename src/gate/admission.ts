import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Allowance } from '#gate/allowance';
import type { Caller } from '#keys/key-cache';
import { endOf, refuseEnded } from '#keys/key-validity';
import { hasScope, missingScope } from '#keys/terms/scopes';
import { type PageHeaders, useOf } from '#keys/terms/term';
import { assertMayUse, mayUse } from '#keys/terms/terms';
import type { Tickets } from '#keys/tickets';
import { remaining } from '#ledger/lease';
import type { Receipt } from '#ledger/leases';
import type { Admission, Gate, UsagePath, WantedScope } from '#server/gate';
import { coinGeckoKeyAtOnce } from './coingecko-keys.ts';
import { foreignOrigin } from './foreign-origin.ts';
import { createBurst, createRateLimits } from './limits.ts';
import { keyAtOnce } from './presented-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The charge, until the response books it. */
    receipt: Receipt | undefined;
    /** The charge, even after the response has booked it. */
    charged: Receipt | undefined;
  }
}

/** The calls that a receipt charges. 0 if it was refunded. */
const costOf = ({ isRefunded, cost }: Receipt): number => (isRefunded ? 0 : cost);

/**
 * Records the use of a key. For an owner key, also records a foreign page that uses the key, because visitors to that
 * page could erase the user.
 */
function noteUse(allowance: Allowance, caller: Caller, headers: IncomingHttpHeaders, now: number): void {
  const { origin } = headers;
  const isKnown = origin === undefined || origin === caller.pageOrigin || !hasScope(caller.scopes, 'account');
  allowance.noteUse(caller, now, isKnown ? undefined : foreignOrigin(headers));
}

/** The admission of a long-lasting response. */
function admissionOf(
  allowance: Allowance,
  { caller: { hash }, headers, raw, routeOptions }: FastifyRequest,
): Admission {
  const { scope, usagePath } = routeOptions.config as { scope: WantedScope; usagePath: UsagePath };
  // If all headers were kept, they would stay in memory as long as the response.
  const { origin, host, 'sec-fetch-site': site } = headers;
  const page: PageHeaders = { origin, host, 'sec-fetch-site': site };
  const use = { ...useOf(raw, scope), headers: page };
  const checkHolder = (holder: Caller, now: number) => {
    refuseEnded(holder, now, {});
    assertMayUse(holder, use);
    allowance.noteUse(holder, now);
  };
  return {
    check({ wall }) {
      const holder = allowance.holderOfHash(hash);
      return holder instanceof Promise ? holder.then((found) => checkHolder(found, wall)) : checkHolder(holder, wall);
    },

    async charge(calls, isWanted) {
      const caller = await allowance.holderOfHash(hash);
      const receipt = await allowance.spend(caller, usagePath, 0, calls);
      if (!isWanted()) return allowance.refund(receipt);
      allowance.keep(receipt);
    },
  };
}

/** @param burstPerSecond requests per user, shared by the user's keys; 0 for no limit */
export function createGate(allowance: Allowance, burstPerSecond: number) {
  const burst = createBurst<number>(burstPerSecond);
  const rateLimits = createRateLimits(burstPerSecond);

  return {
    admitAtOnce(request, { scope, usagePath, coinGeckoKeys }, cost, now) {
      const apiKey = coinGeckoKeys ? coinGeckoKeyAtOnce(request) : keyAtOnce(request);
      const caller = apiKey === undefined ? undefined : allowance.holderAtOnce(apiKey, now.elapsed);
      if (caller === undefined || endOf(caller, now.wall) !== undefined) return undefined;
      const user = caller.user.key;
      // Runs before the call is charged, because a request above the burst limit is free.
      if (!mayUse(caller, useOf(request, scope)) || burst.isExceeded(user, now.wall)) return undefined;
      const receipt = allowance.spendAtOnce(caller, usagePath, now, cost);
      if (receipt === undefined) return undefined;
      burst.admitOrThrow(user, now.wall);
      noteUse(allowance, caller, request.headers, now.wall);
      return { user, keyId: caller.id, receipt };
    },

    book(receipt: Receipt, isPaid, now) {
      if (isPaid) allowance.keep(receipt);
      else allowance.refund(receipt);
      const { period, limit } = receipt.lease;
      return rateLimits.ofCall(period, limit, isPaid ? receipt.remaining : remaining(receipt.lease), now);
    },

    hold: (request) => admissionOf(allowance, request),

    limitsOf({ caller }, code, now) {
      return caller ? rateLimits.ofRejection(code, caller, allowance.limitOf(caller.user), now) : {};
    },

    hasScope: ({ caller }, scope) => hasScope(caller.scopes, scope),

    requireScope({ caller }, scope): void {
      if (!hasScope(caller.scopes, scope)) throw missingScope(scope);
    },

    charge(request, calls): Promise<void> | undefined {
      const path = request.routeOptions.config.usagePath as UsagePath;
      const receipt = allowance.spend(request.caller, path, request.waited, calls);
      const keep = (granted: Receipt) => {
        request.receipt = granted;
        request.charged = granted;
      };
      if (receipt instanceof Promise) return receipt.then(keep);
      keep(receipt);
      return undefined;
    },

    countNodeRequest: ({ caller }) => allowance.countNodeRequest(caller),

    takeReceipt(request): Receipt | undefined {
      const { receipt } = request;
      request.receipt = undefined;
      return receipt;
    },

    refund(request): void {
      if (request.receipt) allowance.refund(request.receipt);
      request.receipt = undefined;
    },

    costOf,

    costOfRequest: ({ charged }) => (charged ? costOf(charged) : 0),

    remaining: ({ caller, receipt }) => receipt?.remaining ?? allowance.remaining(caller),

    async countCalls({ user, caller }, calls, now): Promise<void> {
      if (calls > 0) burst.admitOrThrow(user, now, calls);
      for (let i = 0; i < calls; i++) await allowance.countNodeRequest(caller);
    },

    /** Throws `key_not_for_urls`, `origin_not_allowed`, `scope_missing` and `rate_limited`. */
    admit(caller: Caller, scope: WantedScope, request: IncomingMessage, now: number): void {
      const use = useOf(request, scope);
      if (use.isInUrl && !caller.url) allowance.noteExposure(caller, now);
      assertMayUse(caller, use);
      noteUse(allowance, caller, request.headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },
  } satisfies Omit<Gate<Receipt>, 'issueTicket' | 'requestLog'> & Record<string, unknown>;
}

/** The server's port, with the functions that only the guard calls. */
export type Admitting = Gate<Receipt> &
  Pick<ReturnType<typeof createGate>, 'admit'> & { redeemTicket: Tickets['redeem'] };
