import type { AddressInfo } from 'node:net';
import { buildApp } from '#app';
import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { mintOwnerKey } from '#keys/api-key';
import { sandboxTokens } from '#sandbox/tokens';
import { firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { openSimulation } from '../../fixtures/simulation.ts';
import { atMost, type Figure, none, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openBenchDatabase } from './database.ts';
import { agesOf, printResponses } from './responses.ts';

const DAYS = 31;
/** The time between steps, in ms. At first, users add tokens, and CoinGecko allows 30 calls per minute. */
const EVERY = { first: 5 * MINUTE, later: 12 * MINUTE } as const;
const FIRST = 6 * HOUR;
const CALLS = 10_000;
const TOKENS = 1_000;
const BUILT_IN = 5;
/** The number of IDs per request, as market-proxy sends. */
const IDS = 500;
/** The number of coins whose charts are requested, each of them once per hour. */
const CHARTS = 15;
const PER_HOUR = HOUR / EVERY.later;

const SETTINGS = { TOKENS_ON_REQUEST: 'on', BURST_PER_SECOND: '0', LOG_REQUESTS: 'none' };
const prices = (ids: readonly string[]) =>
  `/simple/price?vs_currencies=usd&include_24hr_change=true&ids=${ids.join()},not-listed`;

type Request = { user: number; path: string };

/** The requests of a step. `at` is the time since the start, in ms. */
type Programs = (coins: readonly TokenName[], at: number) => Request[];

const inLists = (coins: readonly TokenName[], size: number): TokenName[][] =>
  Array.from({ length: Math.ceil(coins.length / size) }, (_, i) => coins.slice(i * size, (i + 1) * size));

/** Charts of some coins, of a day, a month and a year in turn. */
function charts(coins: readonly TokenName[], at: number): Request[] {
  if (at < FIRST) return [];
  const days = [1, 30, 365][Math.floor(at / HOUR) % 3];
  const turn = (at / EVERY.later) % PER_HOUR;
  const charted = coins.slice(0, CHARTS).filter((_id, i) => i % PER_HOUR === turn);
  return charted.map((id) => ({ user: 0, path: `/coins/${id}/market_chart?vs_currency=usd&days=${days}` }));
}

const pricesOf = (coins: readonly TokenName[]): Request[] =>
  inLists(coins, IDS).map((ids) => ({ user: 0, path: prices(ids) }));

/** One user requests four more coins in each step, and the prices of all of them. */
const oneUser: Programs = (coins, at) => [
  ...pricesOf(coins.slice(0, 4 * (1 + Math.floor(at / EVERY.later)))),
  ...charts(coins, at),
];

/** Fifty users request 20 coins each, at first each coin with a request of its own. Later, one program requests all coins. */
const manyUsers: Programs = (coins, at) => {
  if (at >= FIRST) return [...pricesOf(coins), ...charts(coins, at)];
  return inLists(coins, 20).flatMap((ids, user) =>
    (at === 0 ? ids.map((id) => [id]) : [ids]).map((requested) => ({ user, path: prices(requested) })),
  );
};

type Run = { name: string; users: number; programs: Programs };
const RUNS: readonly Run[] = [
  { name: '1,000 tokens on request, 1 user', users: 1, programs: oneUser },
  { name: '1,000 tokens on request, 50 users at once', users: 50, programs: manyUsers },
];

async function simulate({ name, users, programs }: Run, environment: Environment): Promise<Figure[]> {
  const { open, drop } = await openBenchDatabase(environment);
  const database = await open();
  const simulation = await openSimulation({ open: async () => database, processes: 1, env: SETTINGS });
  const { clock, processes, step } = simulation;
  const [parts] = processes;
  if (!parts) throw new Error('no process');
  const start = clock.now();
  const app = await buildApp(parts);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v3`;
  const store = createUserStore(database.prisma);
  const keys: string[] = [];
  for (let user = 0; user < users; user++) {
    const key = mintOwnerKey();
    const term = firstTerm('yearly', start);
    await store.create({ name, email: `user-${user}@example.org`, limit: 1e9, createdAt: start, ...term }, key);
    keys.push(key.apiKey);
  }

  async function send({ user, path }: Request) {
    const response = await fetch(base + path, { headers: { 'x-cg-pro-api-key': keys[user] ?? '' } });
    const body = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${body}`);
    return { fetchedAt: clock.now() - Number(response.headers.get('age') ?? 0) * SECOND };
  }

  const coins = [...sandboxTokens().keys()].slice(BUILT_IN, BUILT_IN + TOKENS);
  const served = () => parts.catalogue.all().length - BUILT_IN;
  let complete: number | undefined;
  for (let at = 0; at < DAYS * DAY; ) {
    const every = at < FIRST ? EVERY.first : EVERY.later;
    // Keys are valid only while the process has read the changes to them.
    await parts.allowance.poll();
    await step(every, () => programs(coins, at).map((request) => () => send(request)));
    at += every;
    if (served() === TOKENS) complete ??= at;
  }
  const { total, calls, firstFills, ages, responses, failures } = simulation.outcome();
  const added = served();
  await app.close();
  await simulation.close();
  await drop();
  printResponses(name, responses, failures);
  return [
    atMost(`${name}: calls in a month of the demo plan`, total, CALLS, 'calls'),
    none(`${name}: tokens that were not added`, TOKENS - added),
    seen(`${name}: time until the last token was added`, `${((complete ?? Number.NaN) / HOUR).toFixed(1)} h`),
    seen(
      `${name}: of these, for latest prices, charts and days; first fetches`,
      `${calls.latest}, ${calls.chart}, ${calls.daily}; ${firstFills}`,
    ),
    agesOf(name, ages),
  ];
}

/** Simulates months in which users add 1,000 tokens through CoinGecko's API in the first days. */
export async function measureRequested(environment: Environment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const run of RUNS) figures.push(...(await simulate(run, environment)));
  return figures;
}
