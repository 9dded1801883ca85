import type { AddressInfo } from 'node:net';

/** The URL of a server on this machine: one that listens everywhere is at localhost. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const isEverywhere = address === '0.0.0.0' || address === '::';
  const host = isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Where the service is to be found, for whoever started it at a terminal. */
export const announcement = (url: string) =>
  `Quotient listens at ${url} (console: ${url}/, documentation: ${url}/docs). Ctrl-C stops it.\n`;
