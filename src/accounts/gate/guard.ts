import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Allowance, Caller, Receipt } from '#accounts/allowance/allowance';
import { remaining } from '#accounts/ledger/lease';
import type { RouteFacts } from '#docs/openapi/operation-shapes';
import { runHook } from '#server/pipeline/run-hook';
import type { Admission } from './admission.ts';
import type { WantedScope } from './key-problems.ts';
import { presentedKey } from './presented-key.ts';
import type { RateLimits } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls: there on every route that is not open. */
    caller: Caller;
    /** For how long the look-up of the key was waited for, in ms. */
    waited: number;
    receipt: Receipt | undefined;
  }
  interface FastifyContextConfig extends RouteFacts {}
}

/** Whether the caller has hung up: what is not delivered is not charged. */
export const isGone = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;

/** What a charge is settled with. */
export type Charging = { allowance: Pick<Allowance, 'keep' | 'refund'>; rateLimits: RateLimits };

/** Commits or refunds the charge of a call, and gives the headers that tell what is left of the allowance. */
export function settleCharge(
  { allowance, rateLimits }: Charging,
  receipt: Receipt,
  isPaid: boolean,
  now: number,
): string[] {
  if (isPaid) allowance.keep(receipt);
  else allowance.refund(receipt);
  const { period, limit } = receipt.lease;
  return rateLimits.ofCall(period, limit, isPaid ? receipt.remaining : remaining(receipt.lease), now);
}

type Dependencies = Charging & { allowance: Allowance; admission: Admission; now: () => number };

/**
 * Asks every route what it costs and which scope it wants, and holds each request to it: who calls, with which scopes, and
 * how fast, before the parameters are looked at; the payment after; and the money back unless the answer is a 2xx that
 * somebody waits for.
 */
export function guard(app: FastifyInstance, { allowance, rateLimits, admission, now }: Dependencies): void {
  app.decorateRequest('receipt', undefined);
  app.decorateRequest('caller');
  app.decorateRequest('waited', 0);

  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.open) return;
    if (config?.cost === undefined) throw new Error(`${method} ${url} does not say what it costs`);
    if (config.scope === undefined) throw new Error(`${method} ${url} does not say which scope it wants`);
  });

  const admit = (request: FastifyRequest, caller: Caller) => {
    const { scope } = request.routeOptions.config;
    // Before the refusal of a burst, which tells what is left of the allowance.
    request.caller = caller;
    admission.admit(caller, scope as WantedScope, request.headers, now());
  };

  app.addHook('onRequest', (request, _reply, done) => {
    const { open, allowExpired } = request.routeOptions.config;
    if (open) return done();
    runHook(done, () => {
      const caller = allowance.authenticate(presentedKey(request), { allowExpired: allowExpired === true });
      if (caller instanceof Promise) {
        const since = performance.now();
        return caller.then((found) => {
          request.waited = performance.now() - since;
          admit(request, found);
        });
      }
      return admit(request, caller);
    });
  });

  app.addHook('preHandler', (request, _reply, done) => {
    const { cost } = request.routeOptions.config;
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
    const headers = settleCharge({ allowance, rateLimits }, receipt, isPaid, now());
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
    done(null, payload);
  });
}
