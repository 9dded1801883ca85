import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { addSandboxTokens } from '../fixtures/sandbox-tokens.ts';
import { createRandom, openSimulation, type Queries } from '../fixtures/simulation.ts';
import type { Environment } from './environment.ts';
import { openBenchDatabase } from './simulated-database.ts';
import { atMost, type Figure, quantile, seen } from './table.ts';

const DAYS = 31;
const EVERY = 6 * MINUTE;
const ASKED = 50;
const CALLS = 10_000;
const TOKENS = 1_000;

/** Which tokens are asked for in an hour. */
type Choice = (names: readonly TokenName[], hour: number) => readonly TokenName[];

const sameEachHour: Choice = (names) => names.slice(0, ASKED);
function othersEachHour(names: readonly TokenName[], hour: number): TokenName[] {
  const random = createRandom(hour);
  return Array.from({ length: ASKED }, () => names[Math.floor(random() * names.length)] as TokenName);
}

/** Each token of an hour is asked for once in it, more or less: its latest price, and of one in five a chart. */
function questionsOf(choice: Choice, names: readonly TokenName[]): Queries {
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

async function simulate(name: string, choice: Choice, environment: Environment): Promise<Figure[]> {
  const { open, drop } = await openBenchDatabase(environment);
  const database = await open();
  const names = await addSandboxTokens(database.prisma, TOKENS);
  const simulation = await openSimulation({ open: async () => database, processes: 1 });
  const questions = questionsOf(choice, names);
  for (let at = 0; at < DAYS * DAY; at += EVERY) await simulation.step(EVERY, questions);
  const { total, calls, ages, responses, failures } = simulation.outcome();
  await simulation.close();
  await drop();
  const minutes = (age: number) => `${(age / MINUTE).toFixed(0)} min`;
  console.error(`${name}: ${responses} responses, ${failures.length} failures ${failures.slice(0, 3).join('; ')}`);
  return [
    atMost(`${name}: calls in a month of the demo plan`, total, CALLS, 'calls'),
    seen(`${name}: of these for latest prices by the schedule, and charts`, `${calls.latest}, ${calls.chart}`),
    seen(
      `${name}: age of an answer, median, 9 in 10, oldest`,
      [0.5, 0.9, 1 - 1 / ages.length].map((part) => minutes(quantile(ages, part))).join(', '),
    ),
  ];
}

/** A month with 1,000 tokens, of which 50 are asked for in each hour. */
export const measure = async (environment: Environment): Promise<Figure[]> => [
  ...(await simulate('1,000 tokens, the same 50 asked for each hour', sameEachHour, environment)),
  ...(await simulate('1,000 tokens, another 50 asked for each hour', othersEachHour, environment)),
];
