import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type Address, isWithin, type Network, parseAddress } from '#core/forms/network-address';

/** The number of proxies in front of the service, or their networks. */
export type TrustedProxies = number | readonly Network[] | undefined;

/** The shared name of all clients whose address is unknown. These clients share their limits. */
const UNKNOWN = 'unknown';

/** Returns an IPv4 address or an IPv6 /64. A client usually controls its whole /64. */
export function clientName(address: Address | undefined): string {
  if (address === undefined) return UNKNOWN;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** A parameter of an element of `Forwarded` (RFC 7239, 4), with the separator. Proxies also write IPv6 without quotes. */
const PAIR = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))[ \t]*([,;]|$)/y;

/**
 * Returns the `for` of each element, the nearest proxy's first. A malformed header is ignored: otherwise, a client
 * could open a quoted string that swallows the element of the proxy.
 */
export function forwardedFor(header: string): readonly string[] {
  const hops = [''];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < header.length) {
    const [, name, quoted, plain = '', end] = PAIR.exec(header) ?? [];
    if (name === undefined) return [''];
    if (name.toLowerCase() === 'for') hops[0] = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (end === ',') hops.unshift('');
    if (end === '') break;
  }
  return hops;
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

const READERS = {
  'x-forwarded-for': (header: string) => header.split(',').reverse().map(unquoted),
  forwarded: forwardedFor,
};

/**
 * Returns a function that names the client of a request. Only trusted proxies can report an address other than the
 * connection's. After an entry that is not an address (`unknown`), the proxy that reported it counts as the client. A
 * proxy may pass on the other header as the client sent it, so headers that name different clients are not followed.
 */
export function createClientNames(proxies: TrustedProxies) {
  const isTrusted = (address: Address, hop: number): boolean =>
    typeof proxies === 'number' ? hop < proxies : (proxies ?? []).some((network) => isWithin(address, network));

  function furthest(peer: Address, hops: readonly string[]): Address {
    let client = peer;
    for (const [hop, text] of hops.entries()) {
      const next = isTrusted(client, hop) ? parseAddress(text) : undefined;
      if (next === undefined) break;
      client = next;
    }
    return client;
  }

  return {
    of({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
      const peer = parseAddress(socket.remoteAddress ?? '');
      if (peer === undefined || !isTrusted(peer, 0)) return clientName(peer);
      const reported = new Set<string>();
      for (const [name, read] of Object.entries(READERS)) {
        const header = headers[name];
        if (typeof header === 'string') reported.add(clientName(furthest(peer, read(header))));
      }
      const [client, ...others] = reported;
      return client !== undefined && others.length === 0 ? client : clientName(peer);
    },

    /** The client of a connection. Undefined for a trusted proxy, because its connections belong to many clients. */
    ofConnection({ remoteAddress = '' }: Pick<IncomingMessage['socket'], 'remoteAddress'>): string | undefined {
      const peer = parseAddress(remoteAddress);
      return peer !== undefined && isTrusted(peer, 0) ? undefined : clientName(peer);
    },
  };
}

export type ClientNames = ReturnType<typeof createClientNames>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The name under which the client is counted: its IPv4 address or IPv6 /64. */
    readonly client: string;
  }
}

export function nameClients(app: FastifyInstance, names: Pick<ClientNames, 'of'>): void {
  app.decorateRequest('client', {
    getter() {
      return names.of(this.raw);
    },
  });
}
