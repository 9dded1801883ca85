/**
 * Compresses months of incidents into minutes: three processes under a mixed load, random upstream failures, an
 * attacker, a database outage and two killed processes. Checks the responses, the ledger and the memory.
 *
 *     npm run endurance                       ten minutes, 300 calls per second
 *     npm run endurance -- 30 --rate 100
 *
 * If Debian's PostgreSQL programs are installed, starts a database server that it can stop. Otherwise, uses the
 * server at `BENCH_DATABASE_URL` and omits the outage. Writes a journal and each process's log to
 * `bench/results/endurance/`. Exits with code 1 if a check fails.
 */
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { type Document, published } from '../fixtures/published.ts';
import { createRandom } from '../fixtures/simulation.ts';
import { statisticsSettings } from '../fixtures/statistics-settings.ts';
import { startBroadcasts } from './endurance/broadcasts.ts';
import { startFaults } from './endurance/faults.ts';
import { startFleet } from './endurance/fleet.ts';
import { startHostility } from './endurance/hostility.ts';
import { runWithIncidents } from './endurance/incidents.ts';
import { openJournal } from './endurance/journal.ts';
import { createLedger, type User } from './endurance/ledger.ts';
import { startLoad } from './endurance/load.ts';
import { watchMemory } from './endurance/memory.ts';
import { createQueries } from './endurance/queries.ts';
import { createRequests } from './endurance/requests.ts';
import { openStand, type Stand } from './endurance/stand.ts';
import { startUserLifeCycles } from './endurance/user-life-cycle.ts';
import { type Figure, none, printTable, seen } from './measuring/table.ts';

const { values, positionals } = parseArgs({
  options: { rate: { type: 'string', default: '300' } },
  allowPositionals: true,
});
const minutes = Number(positionals[0] ?? 10);
const rate = Number(values.rate);
// In less than a minute, the incidents would overlap.
if (!(minutes >= 1 && rate > 0)) {
  console.error('usage: npm run endurance -- [minutes, at least 1] [--rate <calls per second>]');
  process.exit(2);
}

const PROCESSES = 3;
const USERS = 300;

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const journal = openJournal(new URL('./results/endurance', import.meta.url).pathname);

/** The settings of every process. */
const environment = (stand: Stand, sandbox: Sandbox): Record<string, string> => ({
  DATABASE_URL: stand.url,
  BURST_PER_SECOND: '0',
  REGISTRATIONS_PER_MINUTE: '0',
  UPSTREAM_TIMEOUT_MS: '2000',
  COINGECKO_URL: sandbox.coingeckoUrl,
  KRAKEN_URL: sandbox.krakenUrl,
  EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
  COINGECKO_PLAN: 'pro',
  // Frequent refreshes expose faults within minutes. The budget allows them.
  COINGECKO_REFRESH: 'latest=5s,chart=20s',
  COINGECKO_CALLS_PER_MINUTE: '100000',
  COINGECKO_CALLS_PER_MONTH: '1000000000',
  ...statisticsSettings(sandbox),
  CRYPTOCOMPARE_API_KEY: 'sandbox',
  NODE_URLS: `${sandbox.cosmosNodeUrl},${sandbox.legacyNodeUrl}`,
});

/** Runs all checks. Adds a function to `closers` for each opened resource. */
async function endure(closers: (() => Promise<unknown>)[]): Promise<Figure[]> {
  const random = createRandom(20_261_121);
  const ledger = createLedger();
  const stand = await openStand();
  closers.push(stand.close);
  const [hostile, ...users] = await stand.createUsers(ledger, USERS + 1);
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const fleet = await startFleet(PROCESSES, environment(stand, sandbox), journal);
  closers.push(fleet.close);
  const description = (await (await fetch(`${fleet.members[0]?.url}/openapi.json`)).json()) as Document;
  const contract = published(description);
  const requests = createRequests({ fleet, contract, ledger, journal, databaseOutages: stand.outages });
  closers.push(requests.close);

  journal.report(`${minutes} minutes of ${rate} calls per second to ${PROCESSES} processes, with ${USERS} keys`);
  const memory = watchMemory(fleet);
  const faults = startFaults(sandbox, random, journal);
  const broadcasts = startBroadcasts({ requests, sandbox, fleet, user: users.at(-1) as User, random, journal });
  const lifeCycles = startUserLifeCycles({ requests, ledger, fleet, random });
  const hostility = startHostility({ fleet, user: hostile as User, random, journal });
  const { hashes } = broadcasts;
  const addresses = sandbox.chain.accounts.map(({ address }) => address);
  const nextQuery = createQueries(random, { addresses, hashes });
  const load = startLoad({ requests, fleet, users, nextQuery, random, rate });

  const { signal } = interrupted;
  try {
    await runWithIncidents(minutes * 60_000, { fleet, stand, ledger, journal, signal });
  } finally {
    memory.close();
    faults.close();
    await Promise.all([load.close(), lifeCycles.close(), broadcasts.close(), hostility.close()]);
  }

  const exitCodes = await fleet.close();
  const { faults: disagreements, ...sums } = ledger.compare(await stand.ledgerRows());
  for (const text of disagreements) journal.fault('ledger', text);
  const uncalled = requests.uncalled();
  for (const operation of uncalled) journal.fault('uncalled', operation);

  const { sent, skipped } = load.counts();
  const { started, completed } = lifeCycles.counts();
  const responses = requests.seen().map(([kind, count]) => `${kind}: ${count}`);
  return [
    seen('calls of the mixed load', `${sent} (${skipped} skipped: too many pending calls)`),
    seen('responses', responses.join(', ')),
    seen('user life cycles completed', `${completed} of ${started}`),
    seen('transactions broadcast', String(hashes.length - 1)),
    seen('attacks', String(hostility.count())),
    none('responses that differ from the description', journal.faultsOf('contract')),
    none('unexpected responses', journal.faultsOf('unexpected')),
    none('connections that broke while their process was running', journal.faultsOf('connection')),
    none('operations of the description that were not called', uncalled.length),
    none('users whose ledger differs', disagreements.length),
    seen('charged calls', `${sums.answered} in responses, ${sums.used} in the ledger`),
    seen('… lost in crashes', `${sums.lost} of ${sums.atRisk} at risk`),
    seen('… charged without a response', `${sums.overcharged} of ${sums.unanswered} cut off in crashes`),
    none('processes that did not exit with code 0', exitCodes.filter((code) => code !== 0).length),
    ...memory.figures(),
  ];
}

const closers: (() => Promise<unknown>)[] = [];
let figures: Figure[];
try {
  figures = await endure(closers);
} finally {
  for (const close of closers.toReversed()) await close();
}
printTable(figures);
console.error(`journal: ${journal.file}`);
process.exit(figures.some(({ isReached }) => isReached === false) ? 1 : 0);
