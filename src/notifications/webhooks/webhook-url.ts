import { isIP } from 'node:net';
import { isAmong, isPublicAddress, type Network } from './public-address.ts';

/** A longer one is a mistake. */
const LONGEST_WEBHOOK_URL = 2_000;

/** What a URL is not written with: it would be left out of it or changed, and the database takes no NUL. */
const STRAY = /[\p{Cc}\s\\\p{Cs}]/u;

/** The host of a URL as an address is written: IPv6 without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Names that every system resolves to itself (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => /^(.+\.)?localhost\.?$/.test(host);

/**
 * What is wrong with the address of a webhook, as far as its text tells; undefined where nothing is. Where a name leads
 * to is known with each connection alone, and is checked there.
 * @param allowed networks that are called though they are not public
 */
export function webhookUrlFault(text: string, allowed: readonly Network[]): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || STRAY.test(text)) return 'is not a URL';
  if (text.length > LONGEST_WEBHOOK_URL) return `is longer than ${LONGEST_WEBHOOK_URL} characters`;
  if (url.username !== '' || url.password !== '') return 'has a user name or a password in it';
  if (url.protocol === 'http:' && allowed.length === 0) return 'is not encrypted';
  const host = hostOf(url);
  const addresses = isLocalhost(host) ? ['127.0.0.1', '::1'] : isIP(host) ? [host] : [];
  const isReachable = addresses.length === 0 || addresses.some((one) => mayBeCalled(url, one, allowed));
  return isReachable ? undefined : 'is not a public address';
}

/** Whether a webhook may be sent to an address: to a public one encrypted, to one that the operator allows in any case. */
export const mayBeCalled = ({ protocol }: URL, address: string, allowed: readonly Network[]): boolean =>
  isAmong(allowed, address) || (protocol === 'https:' && isPublicAddress(address));
