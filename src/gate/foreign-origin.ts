import type { PageHeaders } from '#keys/terms/term';
import { hasHost } from '#server/cross-origin';

/** An origin as browsers send it (RFC 6454), no longer than a DNS name. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

/** The origin of a page that is not on the service's own host. */
export function foreignOrigin({ origin = '', host, 'sec-fetch-site': site }: PageHeaders): string | undefined {
  if (site === 'same-origin' || hasHost(origin, host)) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}
