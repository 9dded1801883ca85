import { isIP } from 'node:net';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Problem } from '#core/problems';

/** Headers that a page from another origin may read. */
const EXPOSED = [
  'Age',
  'Allow',
  'Cache-Status',
  'ETag',
  'Last-Modified',
  'Link',
  'Quotient-Currency',
  'Quotient-Gaps',
  'Quotient-Source',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vary',
  'WWW-Authenticate',
  'X-Request-Id',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** How long a browser may cache a preflight response, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

type Origins = readonly string[];

/** Throws `cross_site` for a request from another site's page whose origin is not allowed. */
export function refuseCrossSite(headers: Readonly<Record<string, unknown>>, origins: Origins): void {
  const isAllowed = origins.includes('*') || origins.includes(String(headers.origin));
  if (headers['sec-fetch-site'] === 'cross-site' && !isAllowed)
    throw new Problem('cross_site', 'This service does not accept this request from a page on another site.');
}

/** The host and the port of an origin, as in the header `Host`. */
export const hostIn = (origin: string): string => origin.slice(origin.indexOf('://') + 3);

type OriginHeaders = { origin?: string | undefined; host?: string | undefined };

/**
 * Whether no other site can have the host of a URL: an address, or localhost (RFC 6761, 6.3). The owner of any other name
 * can point it to this service (DNS rebinding). A browser then treats the owner's page as a page of this service.
 */
function isUnforgeable(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^(.+\.)?localhost\.?$/.test(name);
}

/** Whether a page of the service itself has the origin. Without `publicUrl`, the service does not know its own name. */
function isOwn(origin: string, host: string, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined && origin === URL.parse(publicUrl)?.origin) return true;
  return hostIn(origin) === host && (publicUrl === undefined || isUnforgeable(host));
}

/**
 * Throws `cross_site` for a page whose origin is neither the service's own nor allowed. Browsers send the origin with
 * every POST; other clients send none.
 */
export function refuseForeignOrigin({ origin, host = '' }: OriginHeaders, origins: Origins, publicUrl?: string): void {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  if (!isOwn(origin, host, publicUrl))
    throw new Problem('cross_site', 'Pages from other origins are not allowed to make this request.');
}

/** Throws `cross_site` for a host name that another site can have, if the listener accepts only local connections. */
export function refuseForeignHost({ host }: OriginHeaders, listenHost: string): void {
  if (host === undefined || isUnforgeable(host) || !isLocal(listenHost)) return;
  const detail = `Use an address or localhost as the host. A proxy must send the address of this listener in Host.`;
  throw new Problem('cross_site', detail);
}

const isLocal = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');

/** CORS for framework responses, including preflights. */
export async function allowOrigins(app: FastifyInstance, origins: Origins): Promise<void> {
  if (origins.length === 0) return;
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
    EXPOSED.join(', '),
  ];
  const toAll = origins.includes('*') ? headersFor('*') : [];
  const byOrigin = new Map(toAll.length > 0 ? [] : origins.map((origin) => [origin, headersFor(origin)]));

  return {
    /** Whether the headers depend on the origin. They do not if all origins are allowed, or none. */
    vary: byOrigin.size > 0,
    /** Header fields for an origin, as a flat list of names and values. Undefined if no origin is allowed. */
    of:
      origins.length === 0
        ? undefined
        : (origin: string | undefined) => (origin === undefined ? toAll : (byOrigin.get(origin) ?? toAll)),
  };
}

export type CorsHeaders = ReturnType<typeof createCorsHeaders>;
