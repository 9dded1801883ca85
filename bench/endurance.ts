/**
 * The service for some minutes as it may fare in months: three processes under a mixed load, upstreams that fail at
 * random, a caller who attacks, a database that goes away and two processes that are killed; and then the question
 * whether all is well.
 *
 *     npm run endurance                       ten minutes, 300 calls a second
 *     npm run endurance -- 30 --rate 100
 *
 * Needs PostgreSQL's programs as Debian has them, for a server of its own that it can stop; where there are none it
 * takes a database on the server of `BENCH_DATABASE_URL`, which is not stopped. What happened and when is written to
 * `bench/results/endurance/`, beside the log of each process. Exit code 1 when a check fails.
 */
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { type Document, published } from '../fixtures/published.ts';
import { createRandom } from '../fixtures/simulation.ts';
import { statisticsSettings } from '../fixtures/statistics-settings.ts';
import { passWithAccidents } from './endurance/accidents.ts';
import { createAsking } from './endurance/asking.ts';
import { createBook, type User } from './endurance/book.ts';
import { startBroadcasts } from './endurance/broadcasts.ts';
import { startFaults } from './endurance/faults.ts';
import { startFleet } from './endurance/fleet.ts';
import { type Home, openHome } from './endurance/home.ts';
import { startHostility } from './endurance/hostility.ts';
import { openJournal } from './endurance/journal.ts';
import { startLives } from './endurance/lives.ts';
import { startLoad } from './endurance/load.ts';
import { watchMemory } from './endurance/memory.ts';
import { createQuestions } from './endurance/questions.ts';
import { type Figure, none, printTable, seen } from './table.ts';

const { values, positionals } = parseArgs({
  options: { rate: { type: 'string', default: '300' } },
  allowPositionals: true,
});
const minutes = Number(positionals[0] ?? 10);
const rate = Number(values.rate);
// In less than a minute the accidents would run into one another.
if (!(minutes >= 1 && rate > 0)) {
  console.error('usage: npm run endurance -- [minutes, at least 1] [--rate <calls a second>]');
  process.exit(2);
}

const PROCESSES = 3;
const USERS = 300;

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const journal = openJournal(new URL('./results/endurance', import.meta.url).pathname);

/** The settings of every process. */
const environment = (home: Home, sandbox: Sandbox): Record<string, string> => ({
  DATABASE_URL: home.url,
  BURST_PER_SECOND: '0',
  REGISTRATIONS_PER_MINUTE: '0',
  UPSTREAM_TIMEOUT_MS: '2000',
  COINGECKO_URL: sandbox.coingeckoUrl,
  KRAKEN_URL: sandbox.krakenUrl,
  EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
  COINGECKO_PLAN: 'pro',
  // Far more often than anybody would, so that faults are met in minutes; and a budget that allows it.
  COINGECKO_REFRESH: 'latest=5s,chart=20s',
  COINGECKO_CALLS_PER_MINUTE: '100000',
  COINGECKO_CALLS_PER_MONTH: '1000000000',
  ...statisticsSettings(sandbox),
  CRYPTOCOMPARE_API_KEY: 'sandbox',
  NODE_URLS: `${sandbox.cosmosNodeUrl},${sandbox.legacyNodeUrl}`,
});

/** Whatever is opened is in `closers`. */
async function endure(closers: (() => Promise<unknown>)[]): Promise<Figure[]> {
  const random = createRandom(20_261_121);
  const book = createBook();
  const home = await openHome();
  closers.push(home.close);
  const [hostile, ...users] = await home.createUsers(book, USERS + 1);
  const sandbox = await startSandbox({ plan: 'pro' });
  closers.push(sandbox.close);
  const fleet = await startFleet(PROCESSES, environment(home, sandbox), journal);
  closers.push(fleet.close);
  const description = (await (await fetch(`${fleet.members[0]?.url}/openapi.json`)).json()) as Document;
  const contract = published(description);
  const asking = createAsking({ fleet, contract, book, journal, databaseOutages: home.outages });
  closers.push(asking.close);

  journal.tell(`${minutes} minutes of ${rate} calls a second to ${PROCESSES} processes, with ${USERS} keys`);
  const memory = watchMemory(fleet);
  const faults = startFaults(sandbox, random, journal);
  const broadcasts = startBroadcasts({ asking, sandbox, fleet, user: users.at(-1) as User, random, journal });
  const lives = startLives({ asking, book, fleet, random });
  const hostility = startHostility({ fleet, user: hostile as User, random, journal });
  const { hashes } = broadcasts;
  const addresses = sandbox.chain.accounts.map(({ address }) => address);
  const questions = createQuestions(random, { addresses, hashes });
  const load = startLoad({ asking, fleet, users, questions, random, rate });

  const { signal } = interrupted;
  try {
    await passWithAccidents(minutes * 60_000, { fleet, home, book, journal, signal });
  } finally {
    memory.close();
    faults.close();
    await Promise.all([load.close(), lives.close(), broadcasts.close(), hostility.close()]);
  }

  const exitCodes = await fleet.close();
  const { faults: disagreements, ...sums } = book.compare(await home.ledger());
  for (const text of disagreements) journal.fault('ledger', text);
  const unasked = asking.unasked();
  for (const operation of unasked) journal.fault('unasked', operation);

  const { asked, passedOver } = load.counts();
  const { born, lived } = lives.counts();
  const answers = asking.seen().map(([kind, count]) => `${kind}: ${count}`);
  return [
    seen('calls of the mix', `${asked}, and ${passedOver} passed over since too many were under way`),
    seen('answers', answers.join(', ')),
    seen('users who came and went', `${lived} of ${born}`),
    seen('transactions broadcast', String(hashes.length - 1)),
    seen('attacks', String(hostility.count())),
    none('answers that are not as published', journal.faultsOf('contract')),
    none('answers that were not to be expected', journal.faultsOf('unexpected')),
    none('connections that broke while the process was up', journal.faultsOf('connection')),
    none('operations of the description that nobody asked', unasked.length),
    none('users whose ledger disagrees', disagreements.length),
    seen('counted calls', `${sums.answered} answered, ${sums.used} in the ledger`),
    seen('… lost in the crashes', `${sums.lost}, of ${sums.atRisk} at risk`),
    seen('… charged without an answer', `${sums.overcharged}, of ${sums.unanswered} cut off in the crashes`),
    none('processes that did not stop in order', exitCodes.filter((code) => code !== 0).length),
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
console.error(`what happened and when: ${journal.file}`);
process.exit(figures.some(({ isReached }) => isReached === false) ? 1 : 0);
