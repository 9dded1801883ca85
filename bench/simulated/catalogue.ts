import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { createRandom, openSimulation, type Queries } from '../../fixtures/simulation.ts';
import { atMost, type Figure, seen } from '../measuring/table.ts';
import { measureCoinList } from '../prices/coin-list.ts';
import type { Environment } from '../stand/environment.ts';
import { openBenchDatabase } from './database.ts';
import { measureRequested } from './requested-tokens.ts';
import { agesOf, printResponses } from './responses.ts';

const DAYS = 31;
const EVERY = 6 * MINUTE;
const REQUESTED = 50;
const CALLS = 10_000;
const TOKENS = 1_000;

/** Selects the tokens that are requested in an hour. */
type Choice = (names: readonly TokenName[], hour: number) => readonly TokenName[];

const sameEachHour: Choice = (names) => names.slice(0, REQUESTED);
function randomEachHour(names: readonly TokenName[], hour: number): TokenName[] {
  const random = createRandom(hour);
  return Array.from({ length: REQUESTED }, () => names[Math.floor(random() * names.length)] as TokenName);
}

/** Requests the latest price of each token about once per hour, and a chart of one token in five. */
function queriesOf(choice: Choice, names: readonly TokenName[]): Queries {
  return (random, now) => {
    const tokens = choice(names, Math.floor(now / HOUR));
    const some = tokens.filter(() => random() < EVERY / HOUR);
    return some.flatMap((token) => [
      (market) => market.latest(token),
      ...(names.indexOf(token) % 5 === 0
        ? [(market: Parameters<ReturnType<Queries>[number]>[0]) => market.days(token, 1, 'json')]
        : []),
    ]);
  };
}

async function simulate(
  name: string,
  environment: Environment,
  { choice, tokens = TOKENS }: { choice: Choice; tokens?: number },
): Promise<Figure[]> {
  const { open, drop } = await openBenchDatabase(environment);
  const database = await open();
  const names = await addSandboxTokens(database.prisma, tokens);
  const simulation = await openSimulation({ open: async () => database, processes: 1 });
  const queries = queriesOf(choice, names);
  for (let at = 0; at < DAYS * DAY; at += EVERY) await simulation.step(EVERY, queries);
  const { total, calls, ages, responses, failures } = simulation.outcome();
  await simulation.close();
  await drop();
  printResponses(name, responses, failures);
  return [
    atMost(`${name}: calls in a month of the demo plan`, total, CALLS, 'calls'),
    seen(`${name}: of these, scheduled calls for latest prices and for charts`, `${calls.latest}, ${calls.chart}`),
    agesOf(name, ages),
  ];
}

const all: Choice = (names) => names;

/**
 * Simulates a month with 1,000 tokens, 50 of which are requested per hour, a month with 300 requested tokens, and months in
 * which users add 1,000 tokens. Also measures the memory of CoinGecko's list of coins.
 */
export const measure = async (environment: Environment): Promise<Figure[]> => [
  ...(await simulate('1,000 tokens, the same 50 requested every hour', environment, { choice: sameEachHour })),
  ...(await simulate('1,000 tokens, a different 50 requested every hour', environment, { choice: randomEachHour })),
  ...(await simulate('300 tokens, all requested every hour', environment, { choice: all, tokens: 300 })),
  ...(await measureRequested(environment)),
  ...(await measureCoinList(environment)),
];
