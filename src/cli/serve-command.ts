import { NODE_FLAGS } from '#process/node-flags';
import type { Command } from './arguments.ts';

export const commands: readonly Command[] = [
  {
    name: 'serve',
    help: 'Starts the service. SIGTERM or Ctrl-C stops it. A second signal ends it immediately.',
    nodeFlags: NODE_FLAGS,
    async run() {
      await import('#serve');
    },
  },
];

export const notes = `The most important settings:

  PORT, HOST           the address to listen on (8080, 127.0.0.1)
  DATABASE_URL         a PostgreSQL server, postgresql://…; with several hosts, the primary is used;
                       unset: an embedded database in DATA_DIR (./data)
  COINGECKO_API_KEY    a CoinGecko key, with COINGECKO_PLAN (demo, basic or pro); unset: the public API
  REGISTRATION         open, verified (by email), or closed (only \`quotient users\` creates users)
  LOG_LEVEL            info (default); warn and error log less

docs/settings.md lists all settings. To read them from a file, copy .env.example to .env.
The running service documents its API at /docs.`;
