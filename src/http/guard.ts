import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY, SECOND } from '../domain/clock.ts';
import { Problem, type ProblemCode } from '../problems.ts';
import type { Allowance, Caller, Receipt } from '../services/allowance.ts';

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
function tellAllowance(
  reply: FastifyReply,
  { user }: Caller,
  { period, remaining }: Receipt,
  now: number,
): void {
  const length = Math.round((period.end - period.start) / SECOND);
  const left = Math.max(0, Math.ceil((period.end - now) / SECOND));
  reply.header('ratelimit-policy', `"plan";q=${user.limit};w=${length}`);
  reply.header('ratelimit', `"plan";r=${remaining};t=${left}`);
}

/**
 * Asks every route of a scope what it costs, and holds each request to it: who calls before the parameters are
 * looked at, the payment after, and the money back unless the answer is a 2xx.
 */
export function guard(
  app: FastifyInstance,
  { allowance, now }: { allowance: Allowance; now: () => number },
): void {
  app.decorateRequest('receipt', undefined);
  app.decorateRequest('caller');

  app.addHook('onRoute', ({ config, method, url }) => {
    if (!config?.open && config?.cost === undefined)
      throw new Error(`${method} ${url} does not say what it costs`);
  });

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open) return;
    request.caller = await allowance.authenticate(presentedKey(request));
  });

  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.cost) request.receipt = await allowance.spend(request.caller);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { receipt } = request;
    if (!receipt) return payload;
    const paid = reply.statusCode >= 200 && reply.statusCode < 300;
    if (!paid) await allowance.refund(receipt);
    const remaining = paid ? receipt.remaining : receipt.remaining + 1;
    tellAllowance(reply, request.caller, { ...receipt, remaining }, now());
    return payload;
  });
}

/** How long a browser may keep what a preflight told it, in seconds. */
export const PREFLIGHT_MAX_AGE = DAY / SECOND;
