import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../app.ts';
import { DAY, systemClock } from '../domain/clock.ts';
import { openLog, openParts } from '../parts.ts';
import { EXIT, openConfiguredDatabase, Refusal } from '../refusal.ts';
import { startSandbox } from '../sandbox/server.ts';
import { readSettings } from '../settings.ts';
import { readArguments, runToExitCode } from './command-line.ts';

const USAGE = `Starts the service with a stand-in for the aggregator, on a database of its own that is thrown away.

  npm run demo

Listens on PORT, or 8080, or a free port when 8080 is taken; the other settings have no say here.
Needs no network. All figures are synthetic. Ctrl-C stops it.
`;

/** Another one will do as well. */
const USUAL_PORT = 8080;

type Closer = () => Promise<unknown>;

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
  if (!apiKey) throw new Refusal(`the demo's user could not be registered: ${response.status}`, EXIT.failed);
  return apiKey;
}

/** Opens everything, from the bottom up; what is open is in `closers`, also when the rest fails to. */
async function start(closers: Closer[]): Promise<string> {
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
    LOG_LEVEL: 'error',
  });
  const database = await openConfiguredDatabase(settings);
  closers.push(database.close);
  const logger = openLog(settings.logLevel, { write: (line) => process.stderr.write(line) });
  const parts = await openParts(settings, { logger, database });
  closers.push(parts.close);

  async function listen(on: number): Promise<AddressInfo> {
    const app = await buildApp(parts);
    closers.push(() => app.close());
    await app.listen({ host: settings.host, port: on });
    return app.server.address() as AddressInfo;
  }

  const address = await listen(settings.port).catch((error) => {
    if (port !== USUAL_PORT || error.code !== 'EADDRINUSE') throw error;
    return listen(0);
  });
  return `http://${settings.host}:${address.port}`;
}

function explanation(url: string, apiKey: string): string {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const now = systemClock.now();
  const range = `fromDate=${date(now - 30 * DAY)}&thruDate=${date(now)}`;
  const curl = (path: string) => `  curl -H 'X-API-KEY: ${apiKey}' '${url}/v1/prices/${path}'\n`;
  return `Quotient is running. ALL FIGURES ARE SYNTHETIC: they come from a stand-in for the aggregator.

  The interface:  ${url}/docs
  Your API key:   ${apiKey}

${curl('latest/token?tokenName=bitcoin')}${curl('history/days?tokenName=ethereum&days=30')}${curl(`history/date/range?tokenName=solana&${range}`)}
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
  readArguments(args, { options: {}, positionals: [] });
  const stopped = stopSignal();
  const closers: Closer[] = [];
  try {
    const url = await start(closers);
    process.stdout.write(explanation(url, await register(url)));
    await stopped;
    return EXIT.ok;
  } finally {
    await closeAll(closers);
  }
}

await runToExitCode(demo);
