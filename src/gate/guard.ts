import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { type Clock, instantOf } from '#core/clock';
import type { Allowance } from '#gate/allowance';
import type { Caller } from '#keys/key-cache';
import { endOf, refuseEnded } from '#keys/key-validity';
import { pathNumber } from '#ledger/usage/usage-paths';
import type { RequestEnds } from '#server/finish-request';
import type { RouteFacts } from '#server/gate';
import { isGone } from '#server/responses/write-response';
import { keyInUrl } from '#server/url-key';
import { isErased } from '#users/user';
import type { Admitting } from './admission.ts';
import { coinGeckoKey } from './coingecko-keys.ts';
import { createBurst } from './limits.ts';
import { presentedKey } from './presented-key.ts';
import { type CheckSettings, createRouteChecks } from './route-checks.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key and its user; set on every route that requires a key. */
    caller: Caller;
    waited: number;
  }
}

type Dependencies = {
  allowance: Allowance;
  gate: Admitting;
  finish: Pick<RequestEnds, 'listUndelivered'>;
  clock: Clock;
  settings: CheckSettings & { burstPerSecond: number; basePath: string };
  sendsMail: boolean;
};
type Guard = Pick<Dependencies, 'allowance' | 'gate' | 'clock'> & {
  /** Limits look-ups per client address on routes that accept a key or a ticket in the query. */
  unknownKeys: ReturnType<typeof createBurst<string>>;
};

/** The names of the parameters in the query that a route declares. */
const parametersOf = ({ schema }: RouteOptions): ReadonlySet<string> =>
  new Set(Object.keys((schema?.querystring as { shape?: object } | undefined)?.shape ?? {}));

/** Completes the configuration of a route. `check` needs no key. */
function prepareRoute(route: RouteOptions, check: ((request: FastifyRequest) => void) | undefined, basePath: string) {
  const { config = {}, method, url } = route;
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
  const usagePath = pathNumber(url.slice(basePath.length));
  if (config.cost !== 0 && usagePath === undefined) throw new Error(`${method} ${url} is not in usage-paths.ts`);
  // The configuration is copied, because several routes can share it.
  route.config = { ...config, parameters: parametersOf(route), ...(usagePath !== undefined && { usagePath }) };
}

function enter({ gate, clock }: Guard, request: FastifyRequest, caller: Caller, config: RouteFacts): void {
  const now = clock.now();
  // The caller is set before the checks, because rejections are also listed, and a rejection by the burst limit
  // reports the remaining calls.
  request.caller = caller;
  request.user = caller.user.key;
  // An erased user has no request log.
  request.keyId = isErased(caller.user) ? undefined : caller.id;
  refuseEnded(caller, now, config);
  gate.admit(caller, config.scope ?? 'any', request.raw, now);
}

function authenticate(by: Guard, request: FastifyRequest, config: RouteFacts): Promise<void> | undefined {
  const caller = by.allowance.holderOf(config.coinGeckoKeys ? coinGeckoKey(request.raw) : presentedKey(request));
  if (!(caller instanceof Promise)) {
    enter(by, request, caller, config);
    return undefined;
  }
  const since = performance.now();
  return caller.then((found) => {
    request.waited = performance.now() - since;
    enter(by, request, found, config);
  });
}

/** Like `authenticate`, but the parameter `api` may contain the key. Runs after the parameters are validated. */
async function authenticateByQuery(by: Guard, request: FastifyRequest, config: RouteFacts): Promise<void> {
  const { allowance, clock, unknownKeys } = by;
  const apiKey = (request.query as { api?: string }).api ?? presentedKey(request);
  const now = instantOf(clock);
  const cachedHolder = allowance.holderAtOnce(apiKey, now.elapsed);
  if (!cachedHolder || endOf(cachedHolder, now.wall)) unknownKeys.admitOrThrow(request.client, now.wall);
  enter(by, request, await allowance.holderOf(apiKey), config);
}

/** Like the check of a key, this runs before the parameters are validated. */
async function authenticateByTicket(by: Guard, request: FastifyRequest, config: RouteFacts, ticket: unknown) {
  by.unknownKeys.admitOrThrow(request.client, by.clock.now());
  enter(by, request, await by.gate.redeemTicket(ticket), config);
}

/**
 * Checks the key, the scope and the burst limit before validation. Charges the call after validation, and refunds the
 * charge unless a 2xx response is delivered. A hook returns a promise only if it must wait, because a promise per call
 * takes measurable time.
 */
export function guard(app: FastifyInstance, dependencies: Dependencies): void {
  const { gate, finish, clock, settings, sendsMail } = dependencies;
  const by = { ...dependencies, unknownKeys: createBurst<string>(settings.burstPerSecond) };
  const checkOf = createRouteChecks(settings, sendsMail, clock);

  for (const name of ['receipt', 'caller', 'user', 'keyId', 'charged', 'passedCall'] as const)
    app.decorateRequest(name);
  app.decorateRequest('waited', 0);

  app.addHook('onRoute', (route) => prepareRoute(route, checkOf(route.config ?? {}), settings.basePath));

  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify creates `routeOptions` at each access.
    const { config } = request.routeOptions;
    const { open, keyInQuery, ticketInQuery } = config;
    const { ticket } = request.query as { ticket?: unknown };
    const isKeyInUrl = keyInUrl(request.raw) !== undefined;
    if (ticketInQuery && ticket !== undefined && !isKeyInUrl) return authenticateByTicket(by, request, config, ticket);
    // A key in the URL is checked even if the path requires none.
    const hasNoKey = (open && !isKeyInUrl) || keyInQuery;
    return (hasNoKey ? undefined : authenticate(by, request, config)) ?? done();
  });

  app.addHook('preHandler', (request, _reply, done) => {
    const { config } = request.routeOptions;
    const { cost, keyInQuery, scope } = config;
    if (keyInQuery) return authenticateByQuery(by, request, config);
    const calls = typeof cost === 'function' ? cost(request.query as never) : cost;
    return (
      (calls ? gate.charge(request, calls) : scope === 'node' ? gate.countNodeRequest(request) : undefined) ?? done()
    );
  });

  finish.listUndelivered(app);

  app.addHook('onSend', (request, reply, payload, done) => {
    const receipt = gate.takeReceipt(request);
    if (!receipt) return done(null, payload);
    const isPaid = reply.statusCode >= 200 && reply.statusCode < 300 && !isGone(request.raw.socket);
    const headers = gate.book(receipt, isPaid, clock.now());
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
    done(null, payload);
  });
}
