import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, type Network, parseAddress, parseNetwork } from '#core/forms/network-address';

const MAX_WEBHOOK_URL = 2_000;
/** Characters that the URL parser drops or changes. The database does not accept NUL. */
const STRAY = /[\p{Cc}\s\\\p{Cs}]/u;

export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Names that every system resolves to itself (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => /^(.+\.)?localhost\.?$/.test(host);

/** Checks only the text: each connection checks the address. The `allowed` networks do not have to be public. */
export function webhookUrlFault(text: string, allowed: readonly Network[]): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || STRAY.test(text)) return 'must be a URL';
  if (text.length > MAX_WEBHOOK_URL) return `must have at most ${MAX_WEBHOOK_URL} characters`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.protocol === 'http:' && allowed.length === 0) return 'must be an https:// URL';
  const host = hostOf(url);
  const addresses = isLocalhost(host) ? ['127.0.0.1', '::1'] : isIP(host) ? [host] : [];
  const isReachable = addresses.length === 0 || addresses.some((address) => mayBeCalled(url, address, allowed));
  return isReachable ? undefined : 'must have a public address';
}

/** Requires TLS for public addresses. The operator's `allowed` networks may be called without TLS. */
export const mayBeCalled = ({ protocol }: URL, address: string, allowed: readonly Network[]): boolean =>
  isAmong(allowed, address) || (protocol === 'https:' && isPublicAddress(address));

/** The IPv6 addresses that IANA assigns to hosts (RFC 4291, 2.4). All others are special or embed IPv4 addresses. */
const GLOBAL_UNICAST = parseNetwork('2000::/3');

/** Whether the second half of an IPv6 address embeds an IPv4 address (ISATAP, RFC 5214, 6.1). */
const isTunnel = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

/** Whether an address is public unicast. Excludes embedded addresses (mapped, 6to4, Teredo, NAT64, ISATAP). */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || (isWithin(address, GLOBAL_UNICAST) && !isTunnel(address));
}

/** Treats a mapped address (`::ffff:10.0.0.1`) as the IPv4 address that it contains. */
export function isAmong(networks: readonly Network[], text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => isWithin(address, network));
}
