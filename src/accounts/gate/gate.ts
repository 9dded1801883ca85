import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Allowance } from '#accounts/gate/allowance';
import { type Caller, endOf, refuseEnded } from '#accounts/keys/key-cache';
import { missingScope } from '#accounts/keys/key-problems';
import { remaining } from '#accounts/ledger/lease';
import type { Receipt } from '#accounts/ledger/leases';
import { pathNumber } from '#accounts/usage/usage-paths';
import { type Clock, instantOf } from '#core/clock';
import type { Admission, Gate as ServerGate, UsagePath, WantedScope } from '#server/gate';
import { isGone } from '#server/replies/write-answer';
import { clientOf, createBurst, createRateLimits } from './limits.ts';
import { keyAtOnce, presentedKey } from './presented-key.ts';
import { type CheckSettings, createRouteChecks } from './route-checks.ts';
import type { Tickets } from './tickets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key and its user; set on every route that requires a key. */
    caller: Caller;
    waited: number;
  }
}

/** An origin as browsers send it (RFC 6454), no longer than a DNS name. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

function foreignOrigin({ origin = '', host, 'sec-fetch-site': site }: IncomingHttpHeaders): string | undefined {
  if (site === 'same-origin' || origin.slice(origin.indexOf('://') + 3) === host) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}

const covers = ({ scopes }: Caller, wanted: WantedScope): boolean => wanted === 'any' || scopes.includes(wanted);

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
      // Runs before the call is charged, because a request above the burst limit is free.
      if (!covers(caller, scope) || burst.refuses(user, now.wall)) return undefined;
      const receipt = allowance.spendAtOnce(caller, path, now, cost);
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

    hold({ caller: { hash }, routeOptions }): Admission {
      const { scope, usagePath } = routeOptions.config as { scope: WantedScope; usagePath: UsagePath };
      const refuse = (holder: Caller, now: number) => {
        refuseEnded(holder, now, {});
        if (!covers(holder, scope)) throw missingScope(scope);
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

    requireScope({ caller }, scope): void {
      if (!covers(caller, scope)) throw missingScope(scope);
    },

    charge(request, calls): Promise<void> | undefined {
      const path = request.routeOptions.config.usagePath as UsagePath;
      const receipt = allowance.spend(request.caller, path, request.waited, calls);
      if (receipt instanceof Promise)
        return receipt.then((granted) => {
          request.receipt = granted;
        });
      request.receipt = receipt;
      return undefined;
    },

    refund(request): void {
      if (request.receipt) allowance.refund(request.receipt as Receipt);
      request.receipt = undefined;
    },

    remaining: ({ caller }) => allowance.remaining(caller),

    /** Throws `scope_missing` and `rate_limited`. */
    admit(caller: Caller, scope: WantedScope, headers: IncomingHttpHeaders, now: number): void {
      if (!covers(caller, scope)) throw missingScope(scope);
      noteUse(caller, headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },
  } satisfies Omit<ServerGate, 'issueTicket'> & Record<string, unknown>;
}

export type Gate = ServerGate & Pick<ReturnType<typeof createGate>, 'admit'> & { redeemTicket: Tickets['redeem'] };

type Dependencies = {
  allowance: Allowance;
  gate: Gate;
  clock: Clock;
  settings: CheckSettings & { burstPerSecond: number; basePath: string };
  sendsMail: boolean;
};

/**
 * Checks the key, the scope and the burst limit before validation. Charges the call after validation, and refunds the
 * charge unless a 2xx response is delivered. A hook returns a promise only if it must wait, because a promise per call
 * takes measurable time.
 */
export function guard(app: FastifyInstance, { allowance, gate, clock, settings, sendsMail }: Dependencies): void {
  /** Limits look-ups per client address on routes that accept a key or a ticket in the query. */
  const unknownKeys = createBurst<string>(settings.burstPerSecond);
  const checkOf = createRouteChecks(settings, sendsMail, clock);

  app.decorateRequest('receipt', undefined);
  app.decorateRequest('caller');
  app.decorateRequest('user');
  app.decorateRequest('waited', 0);

  app.addHook('onRoute', (route) => {
    const { config = {}, method, url } = route;
    const check = checkOf(config);
    if (check) {
      const hook: onRequestHookHandler = (request, _reply, done) => {
        check(request);
        done();
      };
      route.onRequest = [route.onRequest ?? [], hook].flat();
    }
    if (config.open) return;
    if (config.cost === undefined) throw new Error(`${method} ${url} has no cost`);
    if (config.scope === undefined) throw new Error(`${method} ${url} has no scope`);
    const usagePath = pathNumber(url.slice(settings.basePath.length));
    if (config.cost !== 0 && usagePath === undefined) throw new Error(`${method} ${url} is not in usage-paths.ts`);
    // A copy, because several routes can share one configuration.
    if (usagePath !== undefined) route.config = { ...config, usagePath };
  });

  function enter(request: FastifyRequest, caller: Caller): void {
    const { config } = request.routeOptions;
    const now = clock.now();
    refuseEnded(caller, now, config);
    // Set before the burst limit is checked, because a rejection also reports the remaining calls.
    request.caller = caller;
    request.user = caller.user.key;
    gate.admit(caller, config.scope as WantedScope, request.headers, now);
  }

  function authenticate(request: FastifyRequest): Promise<void> | undefined {
    const caller = allowance.holderOf(presentedKey(request));
    if (!(caller instanceof Promise)) {
      enter(request, caller);
      return undefined;
    }
    const since = performance.now();
    return caller.then((found) => {
      request.waited = performance.now() - since;
      enter(request, found);
    });
  }

  /** Like `authenticate`, but the parameter `api` may contain the key. Runs after the parameters are validated. */
  async function authenticateByQuery(request: FastifyRequest): Promise<void> {
    const apiKey = (request.query as { api?: string }).api ?? presentedKey(request);
    const now = instantOf(clock);
    const known = allowance.holderAtOnce(apiKey, now.elapsed);
    if (!known || endOf(known, now.wall)) unknownKeys.admitOrThrow(clientOf(request), now.wall);
    enter(request, await allowance.holderOf(apiKey));
  }

  /** Runs before the parameters are validated, as for a key. */
  async function authenticateByTicket(request: FastifyRequest, ticket: unknown): Promise<void> {
    unknownKeys.admitOrThrow(clientOf(request), clock.now());
    enter(request, await gate.redeemTicket(ticket));
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { open, keyInQuery, ticketInQuery } = request.routeOptions.config;
    const { ticket } = request.query as { ticket?: unknown };
    if (ticketInQuery && ticket !== undefined) return authenticateByTicket(request, ticket);
    return (open || keyInQuery ? undefined : authenticate(request)) ?? done();
  });

  app.addHook('preHandler', (request, _reply, done) => {
    const { cost, keyInQuery } = request.routeOptions.config;
    if (keyInQuery) return authenticateByQuery(request);
    const calls = typeof cost === 'function' ? cost(request.query as never) : cost;
    return (calls ? gate.charge(request, calls) : undefined) ?? done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const { receipt } = request;
    if (!receipt) return done(null, payload);
    request.receipt = undefined;
    const isPaid = reply.statusCode >= 200 && reply.statusCode < 300 && !isGone(request.raw.socket);
    const headers = gate.settle(receipt, isPaid, clock.now());
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
    done(null, payload);
  });
}
