import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import type { Allowance } from '#accounts/gate/allowance';
import { type Caller, endOf, refuseEnded } from '#accounts/keys/key-cache';
import { isErased } from '#accounts/keys/key-holder-store';
import { pathNumber } from '#accounts/usage/usage-paths';
import { type Clock, instantOf } from '#core/clock';
import type { WantedScope } from '#server/gate';
import { isGone } from '#server/replies/write-answer';
import { listResponse } from '#server/request-list';
import type { Gate } from './gate.ts';
import { clientOf, createBurst } from './limits.ts';
import { presentedKey } from './presented-key.ts';
import { type CheckSettings, createRouteChecks } from './route-checks.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key and its user; set on every route that requires a key. */
    caller: Caller;
    waited: number;
  }
}

/** The names of the parameters in the query that a route declares. */
const parametersOf = ({ schema }: RouteOptions): ReadonlySet<string> =>
  new Set(Object.keys((schema?.querystring as { shape?: object } | undefined)?.shape ?? {}));

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
  app.decorateRequest('keyId', undefined);
  app.decorateRequest('charged', undefined);
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
    route.config = { ...config, parameters: parametersOf(route), ...(usagePath !== undefined && { usagePath }) };
  });

  function enter(request: FastifyRequest, caller: Caller): void {
    const { config } = request.routeOptions;
    const now = clock.now();
    // Set before the checks: rejections are listed too, and a rejection by the burst limit reports the remaining calls.
    request.caller = caller;
    request.user = caller.user.key;
    // An erased user has no request log.
    request.keyId = isErased(caller.user) ? undefined : caller.id;
    refuseEnded(caller, now, config);
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

  const { requestLog } = gate;
  if (requestLog) {
    const list = (request: FastifyRequest, reply: FastifyReply) =>
      listResponse(requestLog, request, reply, clock.now());
    app.addHook('onResponse', (request, reply, done) => {
      list(request, reply);
      done();
    });
    // Without a delivered response, `onResponse` does not run, although the request may have changed something.
    app.addHook('onRequest', (request, reply, done) => {
      const { raw } = reply;
      const listUndelivered = () => {
        if (!raw.writableFinished) list(request, reply);
      };
      if (raw.closed) listUndelivered();
      else raw.once('close', listUndelivered);
      done();
    });
  }

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
