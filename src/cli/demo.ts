import '#process/supported-node';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#app';
import { printMails } from '#cli/demo/mailbox';
import { DAY, isoDate, systemClock } from '#core/clock';
import { openDependencies, openLog } from '#open';
import { urlOf } from '#process/announcement';
import { EXIT, openConfiguredDatabase } from '#process/exit';
import { startSandbox } from '#sandbox/server';
import { CONSOLE_FOLDER } from '#server/pages/console';
import { readSettings } from '#settings';
import { readArguments, runToExitCode, wrongUsage } from './command-line.ts';

const USAGE = `Starts the service with stand-ins for its upstreams, on a temporary database.

  npm run demo [-- --node cosmos|legacy]

--node is the REST dialect of the stand-in for the node; the default is cosmos.
Listens on PORT, or 8080, or a free port if 8080 is taken; other settings are ignored.
Needs no network. All figures are synthetic. Ctrl-C stops it.
`;

const DEFAULT_PORT = 8080;

type Closer = () => Promise<unknown>;

/** The paths of the node's own records, which stand in for an explorer. */
const EXPLORER_PATHS = {
  cosmos: {
    transaction: '/cosmos/tx/v1beta1/txs/{hash}',
    address: '/cosmos/auth/v1beta1/accounts/{address}',
  },
  legacy: { transaction: '/txs/{hash}', address: '/auth/accounts/{address}' },
};
type Dialect = keyof typeof EXPLORER_PATHS;
const isDialect = (text: string): text is Dialect => Object.hasOwn(EXPLORER_PATHS, text);

/** What is being done, for whoever waits for it. */
const tell = (step: string) => process.stdout.write(`${step}\n`);

/** Starts everything; what is open is in `closers`, also if the rest fails. Resolves with the text to print. */
async function start(closers: Closer[], dialect: Dialect): Promise<string> {
  const { port } = readSettings();
  tell('Starting stand-ins for the upstreams, and a small blockchain …');
  const directory = await mkdtemp(join(tmpdir(), 'quotient-demo-'));
  closers.push(() => rm(directory, { recursive: true, force: true }));
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const mails = await printMails();
  closers.push(mails.close);
  const nodeUrl = dialect === 'cosmos' ? sandbox.cosmosNodeUrl : sandbox.legacyNodeUrl;
  const settings = readSettings({
    PORT: String(port),
    DATA_DIR: directory,
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    COINGECKO_PLAN: 'pro',
    // With a key, two of the chains come from the source that needs one.
    CRYPTOCOMPARE_URL: sandbox.cryptocompareUrl,
    CRYPTOCOMPARE_API_KEY: 'demo',
    BITCOIN_STATS_URL: sandbox.bitcoinUrl,
    ETHEREUM_STATS_URL: sandbox.ethereumUrl,
    SOLANA_RPC_URL: sandbox.solanaUrl,
    ARWEAVE_URL: sandbox.arweaveUrl,
    NODE_URLS: nodeUrl,
    EXPLORER_TX_URL: nodeUrl + EXPLORER_PATHS[dialect].transaction,
    EXPLORER_ADDRESS_URL: nodeUrl + EXPLORER_PATHS[dialect].address,
    ...mails.settings,
    LOG_LEVEL: 'error',
  });
  tell('Making a temporary database, an embedded PostgreSQL: a few seconds …');
  const database = await openConfiguredDatabase(settings);
  closers.push(database.close);
  const logger = openLog(settings.logLevel, { write: (line) => process.stderr.write(line) });
  tell('Starting the service …');
  const dependencies = await openDependencies(settings, { logger, database });
  closers.push(dependencies.close);

  async function listen(on: number): Promise<AddressInfo> {
    const app = await buildApp({ ...dependencies, consoleFolder: CONSOLE_FOLDER });
    closers.push(() => app.close());
    await app.listen({ host: settings.host, port: on });
    return app.server.address() as AddressInfo;
  }

  const address = await listen(settings.port).catch((error) => {
    if (port !== DEFAULT_PORT || error.code !== 'EADDRINUSE') throw error;
    tell(`Port ${DEFAULT_PORT} is taken: a free one will do …`);
    return listen(0);
  });
  const registration = { name: 'Demo', email: 'demo@example.org', plan: 'monthly' } as const;
  const { apiKey } = await dependencies.users.create(registration);
  const account = sandbox.chain.accounts[0]?.address ?? '';
  const url = urlOf(address);
  mails.linkTo(url);
  return explanation(url, account, apiKey);
}

function explanation(url: string, account: string, apiKey: string): string {
  const now = systemClock.now();
  const calls = [
    'prices/latest/token?tokenName=bitcoin',
    'prices/latest/stats?token=sol',
    'prices/history/days?tokenName=ethereum&days=30',
    `prices/history/date/range?tokenName=solana&fromDate=${isoDate(now - 30 * DAY)}&thruDate=${isoDate(now)}`,
    `node/bank/balances/${account}`,
  ].map((path) => `  curl -H 'X-API-KEY: ${apiKey}' '${url}/v1/${path}'\n`);
  return `
Quotient is running. ALL FIGURES ARE SYNTHETIC: they come from stand-ins for the upstreams.

  Console:        ${url}/
  Documentation:  ${url}/docs
  Your API key:   ${apiKey}

${calls.join('')}
Mails are printed here. A new key for whoever has lost theirs:

  curl -H 'Content-Type: application/json' -d '{"email":"demo@example.org"}' '${url}/v1/user/recover'

Ctrl-C stops it and deletes its data.
`;
}

/** Closes in reverse; one that fails does not keep the others open. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function demo(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    return EXIT.ok;
  }
  const { values } = readArguments(args, { options: { node: { type: 'string' } }, positionals: [] });
  const { node = 'cosmos' } = values;
  if (!isDialect(node)) throw wrongUsage('--node must be cosmos or legacy');
  // npm passes a Ctrl-C on, so the signal may come twice.
  const stopped = new Promise<unknown>((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  const closers: Closer[] = [];
  try {
    process.stdout.write(await start(closers, node));
    await stopped;
    return EXIT.ok;
  } finally {
    await closeAll(closers);
  }
}

await runToExitCode(demo);
