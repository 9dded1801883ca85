import { isIP } from 'node:net';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { parseAddress } from '#core/forms/network-address';
import { Problem } from '#core/problems';

const EXPOSED = [
  'Age, Allow, Cache-Status, ETag, Grpc-Metadata-X-Cosmos-Block-Height, Last-Modified, Link, Quotient-Currency',
  'Quotient-Gaps, Quotient-Source, Quotient-Token, RateLimit, RateLimit-Policy, Retry-After, Vary, WWW-Authenticate',
  'X-Cosmos-Block-Height, X-Request-Id',
].join(', ');

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** How long a browser may cache a preflight response, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

type Origins = readonly string[];

/** Throws `cross_site` for a request from another site's page whose origin is not allowed. */
export function assertSameSite(headers: Readonly<Record<string, unknown>>, origins: Origins): void {
  const isAllowed = origins.includes('*') || origins.includes(String(headers.origin));
  if (headers['sec-fetch-site'] === 'cross-site' && !isAllowed)
    throw new Problem('cross_site', 'This service does not accept this request from a page on another site.');
}

/** Whether an origin has the host of a request. Some proxies add the scheme's own port to `Host`; no origin contains it. */
export function hasHost(origin: string, host: string | undefined): boolean {
  const own = origin.slice(origin.indexOf('://') + 3);
  return own === host || host === `${own}:${origin.startsWith('https:') ? 443 : 80}`;
}

type OriginHeaders = { origin?: string | undefined; host?: string | undefined };

/**
 * Whether no other site can have the host of a URL: an address, or localhost (RFC 6761, 6.3). The owner of any other
 * name can point it to this service (DNS rebinding).
 */
function isUnforgeable(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^(.+\.)?localhost\.?$/.test(name);
}

/** Whether a page of the service itself has the origin. Without `publicUrl`, the service does not know its own name. */
function isOwn(origin: string, host: string, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined && origin === URL.parse(publicUrl)?.origin) return true;
  return hasHost(origin, host) && (publicUrl === undefined || isUnforgeable(host));
}

/** Throws `cross_site` for a page whose origin is neither the service's own nor allowed. Other clients send none. */
export function assertOwnOrigin({ origin, host = '' }: OriginHeaders, origins: Origins, publicUrl?: string): void {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  if (!isOwn(origin, host, publicUrl))
    throw new Problem('cross_site', 'Pages from other origins are not allowed to make this request.');
}

/** The origins whose pages browsers keep from reading responses: neither allowed by the operator nor the service's own. */
export const originsWithoutCors = (
  origins: Origins,
  { corsOrigins, publicUrl }: { corsOrigins: Origins; publicUrl: string | undefined },
  host = '',
): string[] =>
  corsOrigins.includes('*')
    ? []
    : origins.filter((origin) => !corsOrigins.includes(origin) && !isOwn(origin, host, publicUrl));

/** Throws `cross_site` for a host name that another site can have, if the listener accepts only local connections. */
export function assertOwnHost({ host }: OriginHeaders, listenHost: string): void {
  if (host === undefined || isUnforgeable(host) || !isLoopback(listenHost)) return;
  const detail = `Use an address or localhost as the host. A proxy must send the address of this listener in Host.`;
  throw new Problem('cross_site', detail);
}

export const isLoopback = (host: string): boolean => host === 'localhost' || parseAddress(host)?.range() === 'loopback';

export async function allowOrigins(app: FastifyInstance, origins: Origins): Promise<void> {
  if (origins.length === 0) return;
  // The library would reject any other OPTIONS as an invalid preflight, in plain text.
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request;
    const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    if (method === 'OPTIONS' && !isPreflight) reply.callNotFound();
    else done();
  });
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: METHODS,
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_MAX_AGE,
  });
}

export function createCorsHeaders(origins: Origins) {
  const headersFor = (origin: string): readonly string[] => [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    EXPOSED,
  ];
  const toAll = origins.includes('*') ? headersFor('*') : [];
  const byOrigin = new Map(toAll.length > 0 ? [] : origins.map((origin) => [origin, headersFor(origin)]));

  return {
    /** Whether the headers depend on the origin. They do not if either all origins or no origins are allowed. */
    vary: byOrigin.size > 0,
    of:
      origins.length === 0
        ? undefined
        : (origin: string | undefined) => (origin === undefined ? toAll : (byOrigin.get(origin) ?? toAll)),
  };
}

export type CorsHeaders = ReturnType<typeof createCorsHeaders>;
