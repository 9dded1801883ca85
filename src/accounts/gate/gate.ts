import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Allowance, Caller, Receipt } from '#accounts/gate/allowance';
import { covers, refuseUncovered } from '#accounts/keys/key-problems';
import { remaining } from '#accounts/ledger/lease';
import { API_KEY_PREFIX } from '#core/log';
import { invalidRequest, Problem } from '#core/problems';
import { fieldsIn } from '#server/connections/request-limits';
import type { Gate as ServerGate, WantedScope } from '#server/gate';
import { createBurst, createRateLimits } from './limits.ts';

/** An origin as browsers send it (RFC 6454), no longer than a DNS name. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

/** Returns the origin of the page that sends a request, if the page belongs to another site. */
function foreignOrigin({ origin = '', host, 'sec-fetch-site': site }: IncomingHttpHeaders): string | undefined {
  if (site === 'same-origin' || origin.slice(origin.indexOf('://') + 3) === host) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}

type Verbs = Pick<Allowance, 'holderAtOnce' | 'noteUse' | 'spendAtOnce' | 'keep' | 'refund'>;

/** @param burstPerSecond requests per user, shared by the user's keys; 0 for no limit */
export function createGate(allowance: Verbs, burstPerSecond: number) {
  const burst = createBurst<number>(burstPerSecond);
  const rateLimits = createRateLimits(burstPerSecond);

  /**
   * Records the use of a key, and which foreign page uses an owner key: such a page exposes a key that can erase its
   * user.
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
      // Checked first: a request above the burst limit must not be charged.
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

    admit(caller: Caller, scope: WantedScope, headers: IncomingHttpHeaders, now: number): void {
      refuseUncovered(caller, scope);
      noteUse(caller, headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },
  };
}

export type Gate = ReturnType<typeof createGate>;

const FIX = 'send the key in the X-API-KEY header, or in Authorization (Bearer, or Basic as the user name)';

/**
 * Returns the Bearer token (RFC 6750), or, for Basic (RFC 7617), the user name or password if only one of them is set.
 */
function keyInAuthorization(field: string): string | undefined {
  const space = field.indexOf(' ');
  const scheme = field.slice(0, space).toLowerCase();
  const credentials = field.slice(space + 1).trim();
  if (scheme === 'bearer') return credentials || undefined;
  if (scheme !== 'basic') return undefined;
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  const [name, password] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 0 || (name !== '' && password !== '')) return undefined;
  return name || password || undefined;
}

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Returns every `Authorization` field. Node's `headers` contains only the first. */
function authorizationsIn({ headers: { authorization }, rawHeaders }: Head): string[] {
  if (authorization === undefined) return [];
  if (fieldsIn(rawHeaders, 'authorization') === 1) return [authorization];
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'authorization');
}

/**
 * Returns a request's distinct keys. If `X-API-KEY` is present, values in `Authorization` that do not look like a key
 * are ignored: they may be a proxy's password.
 */
export function keysIn(head: Head): string[] {
  const { authorization, 'x-api-key': own } = head.headers;
  // Node joins fields of the same name with commas. No key contains a comma.
  const keys = new Set(typeof own === 'string' ? own.split(',').map((one) => one.trim()) : []);
  keys.delete('');
  if (authorization !== undefined) {
    const hasOwn = keys.size > 0;
    for (const field of authorizationsIn(head)) {
      const key = keyInAuthorization(field);
      if (key !== undefined && (!hasOwn || key.startsWith(API_KEY_PREFIX))) keys.add(key);
    }
  }
  return [...keys];
}

/** Returns the key of a request that contains exactly one, without building a list in the common case. */
export function keyAtOnce(head: Head): string | undefined {
  const { authorization, 'x-api-key': own } = head.headers;
  if (authorization === undefined && typeof own === 'string') return own;
  const isAlone = own === undefined && fieldsIn(head.rawHeaders, 'authorization') === 1;
  if (isAlone) return keyInAuthorization(authorization as string);
  const [key, ...others] = keysIn(head);
  return others.length === 0 ? key : undefined;
}

/** Returns the request's only key. Throws `api_key_missing`, or `invalid_request` for two different keys. */
export function presentedKey({ raw, query }: FastifyRequest): string {
  const [key, ...others] = keysIn(raw);
  if (others.length > 0) {
    const location = raw.headers.authorization === undefined ? 'header.x-api-key' : 'header.authorization';
    throw invalidRequest({ location, message: 'contains a different key', fix: 'send one key, in one header' });
  }
  if (key !== undefined) return key;
  const isInQuery = query !== null && typeof query === 'object' && 'api' in query;
  throw new Problem(
    'api_key_missing',
    isInQuery ? `A key is not accepted in this URL: ${FIX}.` : `The request has no key: ${FIX}.`,
    {
      members: isInQuery ? { errors: [{ location: 'query.api', message: 'is not accepted here', fix: FIX }] } : {},
    },
  );
}
