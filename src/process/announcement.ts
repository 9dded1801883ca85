import type { AddressInfo } from 'node:net';

/** A local server's URL. The host is `localhost` if the server listens on all addresses. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const isEverywhere = address === '0.0.0.0' || address === '::';
  const host = isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

type Addresses = {
  url: string;
  operator: AddressInfo | undefined;
  metrics: AddressInfo | undefined;
  /** The created token of the operator's page. It is printed only at the start that creates it. */
  stored: { token: string; path: string; isNew: boolean } | undefined;
};

export function announcement({ url, operator, metrics, stored }: Addresses): string {
  const lines = [
    `Quotient is listening at ${url}`,
    '',
    `  Console:          ${url}/`,
    `  Documentation:    ${url}/docs`,
  ];
  if (operator) {
    lines.push(`  Operator's page:  ${urlOf(operator)}/`);
    if (stored?.isNew)
      lines.push(`  Admin token:      ${stored.token} (stored in ${stored.path}, and not printed again)`);
    else if (stored) lines.push(`  Admin token:      in ${stored.path}`);
  }
  if (metrics) lines.push(`  Metrics:          ${urlOf(metrics)}/metrics`);
  return `\n${lines.join('\n')}\n\nPress Ctrl-C to stop it.\n`;
}
