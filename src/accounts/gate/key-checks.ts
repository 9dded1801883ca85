import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#accounts/keys/key-cache';
import { missingScope } from '#accounts/keys/key-problems';
import { Problem } from '#core/problems';
import { hostIn } from '#server/cross-origin';
import type { WantedScope } from '#server/gate';

/** An origin as browsers send it (RFC 6454), no longer than a DNS name. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

/** The headers with which browsers identify the page that sends a request. */
export type PageHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'sec-fetch-site'>;

/** The origin of a page that is not on the service's own host. */
export function foreignOrigin({ origin = '', host, 'sec-fetch-site': site }: PageHeaders): string | undefined {
  if (site === 'same-origin' || hostIn(origin) === host) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}

export const covers = ({ scopes }: Caller, wanted: WantedScope): boolean => wanted === 'any' || scopes.includes(wanted);

/** Browsers send no `Origin` with a GET to the page's own origin, but `Sec-Fetch-Site`, which no page can set. */
function isFromAllowedPage(allowed: readonly string[], { origin, host, 'sec-fetch-site': site }: PageHeaders): boolean {
  if (origin !== undefined) return allowed.includes(origin);
  return site === 'same-origin' && allowed.some((one) => hostIn(one) === host);
}

/** Whether the request comes from where the key can be used. Compares one member of a key without a restriction. */
export const isFromAllowedOrigin = ({ allowedOrigins }: Caller, headers: PageHeaders): boolean =>
  allowedOrigins === undefined || isFromAllowedPage(allowedOrigins, headers);

/** Throws `scope_missing`. */
export function requireScope(caller: Caller, wanted: WantedScope): void {
  if (!covers(caller, wanted)) throw missingScope(wanted);
}

/** Throws `origin_not_allowed` and `scope_missing`. */
export function refuseUse(caller: Caller, scope: WantedScope, headers: PageHeaders): void {
  if (!isFromAllowedOrigin(caller, headers)) {
    const found =
      headers.origin === undefined ? 'The request has no Origin header.' : "The request's Origin is not one of them.";
    const detail = `This API key can be used only by web pages of the origins in its allowedOrigins. ${found}`;
    throw new Problem('origin_not_allowed', detail);
  }
  requireScope(caller, scope);
}
