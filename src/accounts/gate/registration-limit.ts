import { isIP } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccountSettings } from '#accounts/settings';
import { MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** Whoever has an IPv6 address has a /64 of them: its first four groups stand for the client. */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (isIP(ip) !== 6 || /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(ip)) return ip.replace(/^::ffff:/i, '');
  const [head = '', tail] = ip.split('%', 1).join('').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Throws `registration_closed` where the operator alone registers users. */
export function refuseClosed(registration: AccountSettings['registration']): void {
  if (registration === 'closed')
    throw new Problem('registration_closed', 'Ask the operator of this service for a key.');
}

/**
 * Lets a client call the routes of a scope so many times a minute; 0 lets it call at will.
 * @param what the calls are, in the plural
 */
export async function limitByClient(app: FastifyInstance, perMinute: number, what: string): Promise<void> {
  if (perMinute === 0) return;
  const told = {
    'x-ratelimit-limit': false,
    'x-ratelimit-remaining': false,
    'x-ratelimit-reset': false,
    'retry-after': false,
  };
  await app.register(rateLimit, {
    global: true,
    max: perMinute,
    timeWindow: MINUTE,
    keyGenerator: clientOf,
    addHeaders: told,
    addHeadersOnExceeding: told,
    errorResponseBuilder: (_request, { ttl }) =>
      new Problem('rate_limited', `More than ${perMinute} ${what} in a minute from one address.`, {
        retryAfter: ttl / SECOND,
      }),
  });
}
