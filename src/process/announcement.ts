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

export const USAGE = `Starts the service.

  npm start                  or: node build/main.js

The command accepts no arguments except --help. Settings are environment variables. The most important settings are:

  PORT, HOST           the address to listen on (8080, 127.0.0.1)
  DATABASE_URL         a PostgreSQL server, postgresql://…; with several hosts, the primary is used;
                       unset: an embedded database in DATA_DIR (./data)
  COINGECKO_API_KEY    a CoinGecko key, with COINGECKO_PLAN (demo, basic or pro); unset: the public API
  REGISTRATION         open, verified (by email), or closed (only \`npm run users\` creates users)
  LOG_LEVEL            info (default); warn and error log less

docs/settings.md lists all settings. To read them from a file, copy .env.example to .env, and run
\`node --env-file=.env build/main.js\`.
The running service documents its API at /docs. SIGTERM or Ctrl-C stops the service. A second signal ends it immediately.

Exit codes: 0 stopped, 1 failed, 2 wrong arguments or settings, or a data directory that is in use.
`;
