import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Dialect, demoEnvironment } from '#cli/demo/demo-environment';
import { FIRST_CALL, guide, printMails } from '#cli/demo/demo-guide';
import { cliOperator } from '#cli/users/operator';
import { DAY, systemClock } from '#core/clock';
import { isListening } from '#database/embedded/port-stream';
import { openLog } from '#open';
import { type Closer, openService } from '#open-service';
import { readOrCreateAdminToken } from '#operator/admin-token-file';
import { urlOf } from '#process/announcement';
import { EXIT, ExitError } from '#process/exit';
import { freePort } from '#process/free-port';
import { openConfiguredDatabase } from '#process/open-database';
import { startSandbox } from '#sandbox/server';
import { type Environment, readSettings, settingsIn } from '#settings';

const print = (step: string) => process.stdout.write(`${step}\n`);

const USUAL_PORT = 8080;
/** The directory of `--keep`, in the working directory. */
const KEPT = 'demo-data';
const NOTICE = 'Synthetic data: this is a demo. All prices, statistics and transactions are simulated.';

/** A directory that the last step deletes, unless the data is kept. */
async function openDirectory(closers: Closer[], isKept: boolean): Promise<string> {
  if (isKept) return resolve(KEPT);
  const dataDir = await mkdtemp(join(tmpdir(), 'quotient-demo-')).catch((error) => {
    throw new ExitError(`${tmpdir()} cannot be written: set TMPDIR to another directory`, EXIT.failed, error);
  });
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** The port must be known before the service starts, because links and URL keys contain it. */
async function choosePort({ PORT }: Environment): Promise<string> {
  if (PORT !== undefined && PORT !== '0') return PORT;
  const usual = PORT === undefined ? await freePort(USUAL_PORT) : undefined;
  if (PORT === undefined && usual === undefined) print(`Port ${USUAL_PORT} is in use. Using a free port …`);
  return String(usual ?? (await freePort(0)));
}

/** The database stores only the hash of the key. A later start with the same directory continues with the key. */
async function demoKey(users: Opened['users'], dataDir: string): Promise<string> {
  const path = join(dataDir, 'demo-key');
  const stored = await readFile(path, 'utf8').catch(() => undefined);
  if (stored !== undefined) return stored.trim();
  const { apiKey } = await users.create({ name: 'Demo', email: 'demo@example.org', plan: 'monthly' });
  await writeFile(path, `${apiKey}\n`, { mode: 0o600 });
  return apiKey;
}

/**
 * Fetches the five-minute samples of the last day of each token. The changes over 24 hours need a sample within half
 * an hour of the time 24 hours ago, and the nearest hourly sample may be farther away. Returns the response of the
 * first call in the guide.
 */
async function warmUp(url: string, apiKey: string): Promise<string> {
  async function call(path: string): Promise<string> {
    const [response] = await once(get(`${url}/v1/${path}`, { headers: { 'X-API-KEY': apiKey } }), 'response');
    return text(response);
  }
  const tokens = JSON.parse(await call('tokens')) as { tokenName: string }[];
  for (const { tokenName } of tokens) await call(`prices/history/days?tokenName=${tokenName}&days=1`);
  return call(FIRST_CALL);
}

type Opened = Awaited<ReturnType<typeof openService>>;
type Options = { dialect: Dialect; isKept: boolean };

/** Returns the text to print. Adds a function to `closers` for each opened part, in case a later step fails. */
async function start(closers: Closer[], { dialect, isKept }: Options): Promise<string> {
  print('Starting simulated data sources and a simulated blockchain …');
  const dataDir = await openDirectory(closers, isKept);
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const mails = await printMails();
  closers.push(mails.close);
  const shell = settingsIn();
  const PORT = await choosePort(shell);
  const standIns = { sandbox, dialect, mailUrl: mails.url, dataDir };
  const { environment, overridden } = demoEnvironment({ ...shell, PORT }, standIns);
  environment.ADMIN_TOKEN ??= (await readOrCreateAdminToken(dataDir)).token;
  const settings = readSettings(environment);
  print('Opening an embedded PostgreSQL database, which takes a few seconds …');
  const database = await openConfiguredDatabase(settings);
  closers.push(database.close);
  const logger = openLog(settings.logLevel, { write: (line) => process.stderr.write(line) });
  print('Starting the service …');
  const service = await openService(settings, { logger, database, closers });
  const address = await service.listen(settings.port);
  await service.announcements.set(cliOperator(), { text: NOTICE, until: systemClock.now() + 365 * DAY });
  const apiKey = await demoKey(service.users, dataDir);
  const origin = urlOf(address);
  const { operator } = service.privateAddresses();
  print('Fetching a day of synthetic prices …');
  const response = await warmUp(origin + settings.basePath, apiKey);
  return guide({
    url: origin + settings.basePath,
    operatorUrl: operator && urlOf(operator),
    environment,
    overridden,
    apiKey,
    response,
    now: systemClock.now(),
    isReachable: await isListening(dataDir),
    isKept,
    account: sandbox.chain.accounts[0]?.address ?? '',
  });
}

/** Closes everything in reverse order, even after a failure. Throws the first failure at the end. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

export async function runDemo(options: Options): Promise<number> {
  // npm forwards Ctrl-C, so the signal may arrive twice.
  const stopped = new Promise<unknown>((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  const closers: Closer[] = [];
  try {
    process.stdout.write(await start(closers, options));
    await stopped;
    return EXIT.ok;
  } finally {
    await closeAll(closers);
  }
}
