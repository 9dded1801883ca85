import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, demoEnvironment } from '#cli/demo/demo-environment';
import { guide, printMails } from '#cli/demo/demo-guide';
import { systemClock } from '#core/clock';
import { isListening } from '#database/embedded/port-stream';
import { type Closer, openLog, openService } from '#open';
import { urlOf } from '#process/announcement';
import { EXIT, ExitError } from '#process/exit';
import { freePort } from '#process/free-port';
import { openConfiguredDatabase } from '#process/open-database';
import { startSandbox } from '#sandbox/server';
import { readSettings, settingsIn } from '#settings';

const print = (step: string) => process.stdout.write(`${step}\n`);

const USUAL_PORT = 8080;

/** Returns the text to print. Adds a function to `closers` for each opened part, in case a later step fails. */
async function start(closers: Closer[], dialect: Dialect): Promise<string> {
  print('Starting simulated data sources and a simulated blockchain …');
  const dataDir = await mkdtemp(join(tmpdir(), 'quotient-demo-')).catch((error) => {
    throw new ExitError(`${tmpdir()} cannot be written: set TMPDIR to another directory`, EXIT.failed, error);
  });
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const mails = await printMails();
  closers.push(mails.close);
  const standIns = { sandbox, dialect, mailUrl: mails.url, dataDir };
  const shell = settingsIn();
  // The port must be known before the service starts, because links and URL keys contain it.
  const usual = shell.PORT === undefined ? await freePort(USUAL_PORT) : undefined;
  const chosen = shell.PORT === '0' ? undefined : shell.PORT;
  const PORT = chosen ?? String(usual ?? (await freePort(0)));
  const { environment, overridden } = demoEnvironment({ ...shell, PORT }, standIns);
  const settings = readSettings(environment);
  print('Creating a temporary embedded PostgreSQL database, which takes a few seconds …');
  const database = await openConfiguredDatabase(settings);
  closers.push(database.close);
  const logger = openLog(settings.logLevel, { write: (line) => process.stderr.write(line) });
  print('Starting the service …');
  const { users, listen, privateAddresses } = await openService(settings, { logger, database, closers });
  if (shell.PORT === undefined && usual === undefined) print(`Port ${USUAL_PORT} is in use. Using a free port …`);
  const address = await listen(settings.port);
  const { apiKey } = await users.create({ name: 'Demo', email: 'demo@example.org', plan: 'monthly' });
  const origin = urlOf(address);
  const { operator } = privateAddresses();
  return guide({
    url: origin + settings.basePath,
    operatorUrl: operator && urlOf(operator),
    environment,
    overridden,
    apiKey,
    now: systemClock.now(),
    isReachable: await isListening(dataDir),
    account: sandbox.chain.accounts[0]?.address ?? '',
  });
}

/** Closes everything in reverse order, even after a failure. Throws the first failure at the end. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

export async function runDemo(dialect: Dialect): Promise<number> {
  // npm forwards Ctrl-C, so the signal may arrive twice.
  const stopped = new Promise<unknown>((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  const closers: Closer[] = [];
  try {
    process.stdout.write(await start(closers, dialect));
    await stopped;
    return EXIT.ok;
  } finally {
    await closeAll(closers);
  }
}
