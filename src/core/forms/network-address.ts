import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** `[IPv6]`, and either form with a port. RFC 7239, 6 also allows a name such as `_x` as the port. */
const ENCLOSED = /^(?:\[([^\]]*)\](?::[\w.-]*)?|([\d.]+):[\w.-]*)$/;

/**
 * Parses an address of a socket, a header or a setting. With and without a port, brackets or a zone ID, and as an
 * IPv4-mapped address, a host has the same result. Undefined for any other text.
 */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, beforePort] = ENCLOSED.exec(text) ?? [];
  const enclosed = bracketed ?? beforePort ?? text;
  const zone = enclosed.indexOf('%');
  const address = zone < 0 ? enclosed : enclosed.slice(0, zone);
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** A network such as `10.0.0.0/8`, or a single address. */
export type Network = readonly [Address, bits: number];

export function parseNetwork(text: string): Network {
  const [address = '', bits] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (width < 0 || length < 0 || length > width || address.includes('%'))
    throw new Error('must be a comma-separated list of addresses or networks, such as 10.0.0.0/8');
  return [ipaddr.parse(address), length];
}

export const parseNetworks = (text: string): readonly Network[] =>
  text.split(',').map((network) => parseNetwork(network.trim()));

const MAPPED = parseNetwork('::ffff:0:0/96');

/** Whether a network contains an address. A network of mapped addresses contains the IPv4 addresses. */
export function isWithin(address: Address, [base, bits]: Network): boolean {
  if (address.kind() === base.kind()) return address.match(base, bits);
  const isMapped = base instanceof ipaddr.IPv6 && bits >= MAPPED[1] && base.match(MAPPED[0], MAPPED[1]);
  return isMapped && address instanceof ipaddr.IPv4 && address.toIPv4MappedAddress().match(base, bits);
}
