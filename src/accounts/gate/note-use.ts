import type { IncomingHttpHeaders } from 'node:http';
import type { Allowance, Caller } from '#accounts/allowance/allowance';
import { covers } from './key-problems.ts';

/** An origin as browsers send it (RFC 6454), in a length that a name has. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,255}$/;

/** The origin of the page that sends a request, where it is not the service's own. */
function foreignOrigin({
  origin = '',
  host,
  'sec-fetch-site': site,
}: IncomingHttpHeaders): string | undefined {
  if (site === 'same-origin' || origin.slice(origin.indexOf('://') + 3) === host) return undefined;
  return ORIGIN.test(origin) ? origin : undefined;
}

/**
 * Notes that a caller's key is used, and of an owner key also the page of another site that does: a key that can erase
 * its user has no place in one.
 */
export function noteUse(
  { noteUse }: Pick<Allowance, 'noteUse'>,
  caller: Caller,
  headers: IncomingHttpHeaders,
  now: number,
): void {
  const { origin } = headers;
  const isKnown = origin === undefined || origin === caller.pageOrigin || !covers(caller, 'account');
  noteUse(caller, now, isKnown ? undefined : foreignOrigin(headers));
}
