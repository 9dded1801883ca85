import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Allowance, Caller } from '#accounts/gate/allowance';
import { type Clock, instantOf, MINUTE } from '#core/clock';
import { Problem } from '#core/problems';
import { refuseCrossSite } from '#server/cross-origin';
import type { RouteFacts, WantedScope } from '#server/gate';
import { isGone } from '#server/replies/write-answer';
import { runHook } from '#server/run-hook';
import { type Gate, presentedKey } from './gate.ts';
import { clientOf, createBurst } from './limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is not open. */
    caller: Caller;
    waited: number;
  }
}

/** The `Retry-After` of a call that needs mail although mail is not configured, in seconds. */
const UNTIL_CONFIGURED = 3600;

/** Throws `registration_closed` if only the operator registers users. */
export function refuseClosed(registration: string): void {
  if (registration === 'closed')
    throw new Problem('registration_closed', 'Only the operator of this service can register users.');
}

type Dependencies = {
  allowance: Allowance;
  gate: Gate;
  clock: Clock;
  settings: {
    burstPerSecond: number;
    corsOrigins: readonly string[];
    registration: string;
    registrationsPerMinute: number;
  };
  sendsMail: boolean;
};

/**
 * Checks the key, the scope and the burst limit before validation, and charges the call afterwards. The charge is
 * refunded unless a 2xx response is delivered.
 */
export function guard(app: FastifyInstance, { allowance, gate, clock, settings, sendsMail }: Dependencies): void {
  const { burstPerSecond, corsOrigins, registration, registrationsPerMinute: perMinute } = settings;
  /** Limits look-ups per client address on routes that accept a key in the query. */
  const unknownKeys = createBurst<string>(burstPerSecond);
  const byClient = new Map<string, ReturnType<typeof createBurst<string>>>();

  app.decorateRequest('receipt', undefined);
  app.decorateRequest('caller');
  app.decorateRequest('user');
  app.decorateRequest('waited', 0);

  const clientLimit = (calls: string) => {
    const detail = `The limit is ${perMinute} ${calls} per minute and address.`;
    const limit = byClient.get(calls) ?? createBurst<string>(perMinute, MINUTE, detail);
    byClient.set(calls, limit);
    return limit;
  };

  /** Returns the checks that need no key. */
  function checkOf({ sameSite, registers, needsMail, perClient }: RouteFacts) {
    if (!sameSite && !registers && !needsMail && !perClient) return undefined;
    const limit = perClient && clientLimit(perClient);
    return (request: FastifyRequest): void => {
      if (sameSite) refuseCrossSite(request.headers, corsOrigins);
      if (registers) refuseClosed(registration);
      if (needsMail && !sendsMail) {
        const detail = 'This service does not send mail: SMTP_URL is not set.';
        throw new Problem('mail_not_configured', detail, { retryAfter: UNTIL_CONFIGURED });
      }
      if (limit) limit.admitOrThrow(clientOf(request), clock.now());
    };
  }

  app.addHook('onRoute', (route) => {
    const { config = {}, method, url } = route;
    const check = checkOf(config);
    if (check) {
      route.onRequest = [route.onRequest ?? []].flat();
      route.onRequest.push((request, _reply, done) => runHook(done, () => check(request)));
    }
    if (config.open) return;
    if (config.cost === undefined) throw new Error(`${method} ${url} has no cost`);
    if (config.scope === undefined) throw new Error(`${method} ${url} has no scope`);
  });

  const admit = (request: FastifyRequest, caller: Caller) =>
    gate.admit(caller, request.routeOptions.config.scope as WantedScope, request.headers, clock.now());

  function know(request: FastifyRequest, caller: Caller): void {
    request.caller = caller;
    request.user = caller.user.key;
  }

  function authenticate(request: FastifyRequest): void | Promise<void> {
    const { allowExpired = false } = request.routeOptions.config;
    const caller = allowance.authenticate(presentedKey(request), { allowExpired });
    // Set before the burst limit can reject the request, because the rejection reports the remaining calls.
    const enter = (found: Caller) => {
      know(request, found);
      admit(request, found);
    };
    if (!(caller instanceof Promise)) return enter(caller);
    const since = performance.now();
    return caller.then((found) => {
      request.waited = performance.now() - since;
      enter(found);
    });
  }

  /** Like `authenticate`, but the parameter `api` may contain the key. Runs after the parameters are validated. */
  async function authenticateByQuery(request: FastifyRequest): Promise<void> {
    const { allowExpired = false } = request.routeOptions.config;
    const apiKey = (request.query as { api?: string }).api ?? presentedKey(request);
    const now = instantOf(clock);
    if (!allowance.holderAtOnce(apiKey, now)) unknownKeys.admitOrThrow(clientOf(request), now.wall);
    const caller = await allowance.authenticate(apiKey, { allowExpired });
    admit(request, caller);
    know(request, caller);
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { open, keyInQuery } = request.routeOptions.config;
    if (open || keyInQuery) return done();
    runHook(done, () => authenticate(request));
  });

  app.addHook('preHandler', (request, _reply, done) => {
    const { cost, keyInQuery } = request.routeOptions.config;
    if (keyInQuery) return runHook(done, () => authenticateByQuery(request));
    if (!cost) return done();
    runHook(done, () => {
      const calls = typeof cost === 'function' ? cost(request.query as never) : cost;
      const receipt = allowance.spend(request.caller, request.waited, calls);
      if (receipt instanceof Promise) {
        return receipt.then((granted) => {
          request.receipt = granted;
        });
      }
      request.receipt = receipt;
    });
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
