import type { AddressInfo } from 'node:net';

/** A local server's URL. The host is `localhost` if the server listens on all addresses. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const isEverywhere = address === '0.0.0.0' || address === '::';
  const host = isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

export function announcement(url: string, operatorUrl: string | undefined): string {
  const pages = [`console: ${url}/`, `documentation: ${url}/docs`];
  if (operatorUrl !== undefined) pages.push(`operator's page: ${operatorUrl}/`);
  return `Quotient is listening at ${url} (${pages.join(', ')}). Press Ctrl-C to stop it.\n`;
}
