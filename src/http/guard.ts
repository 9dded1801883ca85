import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../domain/clock.ts';
import { Problem, type ProblemCode } from '../problems.ts';
import type { Allowance, Caller, Receipt } from '../services/allowance.ts';
import { createBurst } from './burst.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls: there on every route that is not open. */
    caller: Caller;
    receipt: Receipt | undefined;
  }
  interface FastifyContextConfig {
    /** Needs no key. */
    open?: true;
    /** Calls charged for an answer with 2xx. */
    cost?: 0 | 1;
    /** Serves an expired key too. */
    evenExpired?: true;
    /** The problems that a caller may meet here, beyond those of every route. */
    problems?: readonly ProblemCode[];
  }
}

/** The key that a request presents in its header. Throws `api_key_missing`. */
export function presentedKey(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  throw new Problem('api_key_missing', 'Send your API key in the header X-API-KEY.');
}

/** Structured fields of draft-ietf-httpapi-ratelimit-headers: `w` the period's length, `t` the seconds to its end. */
function tellAllowance(reply: FastifyReply, { lease }: Receipt, remaining: number, now: number): void {
  const { period, limit } = lease;
  const length = Math.round((period.end - period.start) / SECOND);
  const left = Math.max(0, Math.ceil((period.end - now) / SECOND));
  reply.header('ratelimit-policy', `"plan";q=${limit};w=${length}`);
  reply.header('ratelimit', `"plan";r=${remaining};t=${left}`);
}

type Parts = { allowance: Allowance; now: () => number; burstPerSecond: number };

/**
 * Asks every route of a scope what it costs, and holds each request to it: who calls, and how fast, before the
 * parameters are looked at; the payment after; and the money back unless the answer is a 2xx.
 */
export function guard(app: FastifyInstance, { allowance, now, burstPerSecond }: Parts): void {
  const burst = createBurst(burstPerSecond);
  app.decorateRequest('receipt', undefined);
  app.decorateRequest('caller');

  app.addHook('onRoute', ({ config, method, url }) => {
    if (!config?.open && config?.cost === undefined)
      throw new Error(`${method} ${url} does not say what it costs`);
  });

  app.addHook('onRequest', async (request) => {
    const { open, evenExpired } = request.routeOptions.config;
    if (open) return;
    request.caller = await allowance.authenticate(presentedKey(request), {
      evenExpired: evenExpired === true,
    });
    burst.admit(request.caller, now());
  });

  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.cost) request.receipt = await allowance.spend(request.caller);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { receipt } = request;
    if (!receipt) return payload;
    request.receipt = undefined;
    const paid = reply.statusCode >= 200 && reply.statusCode < 300;
    if (paid) allowance.keep(receipt);
    else allowance.refund(receipt);
    tellAllowance(reply, receipt, paid ? receipt.remaining : receipt.remaining + 1, now());
    return payload;
  });
}
