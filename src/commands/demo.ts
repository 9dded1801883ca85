import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#app';
import { openDependencies, openLog } from '#dependencies';
import { DAY, systemClock } from '#domain/clock';
import { EXIT, ExitError, openConfiguredDatabase } from '#exit';
import { CONSOLE_FOLDER } from '#http/docs/console';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { readSettings } from '#settings';
import { readArguments, runToExitCode, wrongUsage } from './command-line.ts';

const USAGE = `Starts the service with stand-ins for its upstreams, on a database of its own that is thrown away.

  npm run demo [-- --node cosmos|legacy]

--node is the dialect that the stand-in for the node speaks; cosmos where left out.
Listens on PORT, or 8080, or a free port when 8080 is taken; the other settings have no say here.
Needs no network. All figures are synthetic. Ctrl-C stops it.
`;

/** Another one will do as well. */
const USUAL_PORT = 8080;

type Closer = () => Promise<unknown>;

/** Which node is asked, and where its own record of a transaction and of an account stands in for an explorer. */
const NODES = {
  cosmos: ({ cosmosNodeUrl: url }: Sandbox) => ({
    NODE_URLS: url,
    EXPLORER_TX_URL: `${url}/cosmos/tx/v1beta1/txs/{hash}`,
    EXPLORER_ADDRESS_URL: `${url}/cosmos/auth/v1beta1/accounts/{address}`,
  }),
  legacy: ({ legacyNodeUrl: url }: Sandbox) => ({
    NODE_URLS: url,
    EXPLORER_TX_URL: `${url}/txs/{hash}`,
    EXPLORER_ADDRESS_URL: `${url}/auth/accounts/{address}`,
  }),
};
type NodeName = keyof typeof NODES;
const isNodeName = (text: string): text is NodeName => Object.hasOwn(NODES, text);

/** Resolves when the process is told to stop. npm hands a Ctrl-C on, so it may be told twice. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
}

async function register(url: string): Promise<string> {
  const query = new URLSearchParams({ name: 'Demo', email: 'demo@example.org', plan: 'monthly' });
  const response = await fetch(`${url}/v1/user/create?${query}`, { method: 'POST' });
  const { apiKey } = (await response.json()) as { apiKey?: string };
  if (!apiKey)
    throw new ExitError(`the demo's user could not be registered: ${response.status}`, EXIT.failed);
  return apiKey;
}

/** Opens everything, from the bottom up; what is open is in `closers`, also when the rest fails to. */
async function start(closers: Closer[], node: NodeName): Promise<{ url: string; account: string }> {
  const { port } = readSettings();
  const directory = await mkdtemp(join(tmpdir(), 'quotient-demo-'));
  closers.push(() => rm(directory, { recursive: true, force: true }));
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const settings = readSettings({
    PORT: String(port),
    DATA_DIR: directory,
    COINGECKO_URL: sandbox.coingeckoUrl,
    COINGECKO_PLAN: 'pro',
    // With a key, so that two of the chains come from the source that wants one.
    CRYPTOCOMPARE_URL: sandbox.cryptocompareUrl,
    CRYPTOCOMPARE_API_KEY: 'demo',
    BITCOIN_STATS_URL: sandbox.bitcoinUrl,
    ETHEREUM_STATS_URL: sandbox.ethereumUrl,
    SOLANA_RPC_URL: sandbox.solanaUrl,
    ARWEAVE_URL: sandbox.arweaveUrl,
    ...NODES[node](sandbox),
    LOG_LEVEL: 'error',
  });
  const database = await openConfiguredDatabase(settings);
  closers.push(database.close);
  const logger = openLog(settings.logLevel, { write: (line) => process.stderr.write(line) });
  const dependencies = await openDependencies(settings, { logger, database });
  closers.push(dependencies.close);

  async function listen(on: number): Promise<AddressInfo> {
    const app = await buildApp({ ...dependencies, consoleFolder: CONSOLE_FOLDER });
    closers.push(() => app.close());
    await app.listen({ host: settings.host, port: on });
    return app.server.address() as AddressInfo;
  }

  const address = await listen(settings.port).catch((error) => {
    if (port !== USUAL_PORT || error.code !== 'EADDRINUSE') throw error;
    return listen(0);
  });
  const account = sandbox.chain.accounts[0]?.address ?? '';
  return { url: `http://${settings.host}:${address.port}`, account };
}

function explanation(url: string, account: string, apiKey: string): string {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const now = systemClock.now();
  const range = `fromDate=${date(now - 30 * DAY)}&thruDate=${date(now)}`;
  const curl = (path: string) => `  curl -H 'X-API-KEY: ${apiKey}' '${url}/v1/${path}'\n`;
  return `Quotient is running. ALL FIGURES ARE SYNTHETIC: they come from stand-ins for the upstreams.

  The console:    ${url}/
  The interface:  ${url}/docs
  Your API key:   ${apiKey}

${curl('prices/latest/token?tokenName=bitcoin')}${curl('prices/latest/stats?token=sol')}${curl('prices/history/days?tokenName=ethereum&days=30')}${curl(`prices/history/date/range?tokenName=solana&${range}`)}${curl(`node/bank/balances/${account}`)}
Ctrl-C stops it; nothing is kept.
`;
}

/** Closes in reverse; what cannot be closed keeps nothing else from it. */
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
  if (!isNodeName(node)) throw wrongUsage(`--node must be ${Object.keys(NODES).join(' or ')}`);
  const stopped = stopSignal();
  const closers: Closer[] = [];
  try {
    const { url, account } = await start(closers, node);
    process.stdout.write(explanation(url, account, await register(url)));
    await stopped;
    return EXIT.ok;
  } finally {
    await closeAll(closers);
  }
}

await runToExitCode(demo);
