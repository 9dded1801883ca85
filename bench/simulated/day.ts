import { DAY, MINUTE } from '#core/clock';
import { allQueries, commonQueries, openSimulation, type Queries, randomQuery } from '../../fixtures/simulation.ts';
import { atMost, type Figure } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openBenchDatabase } from './database.ts';
import { printResponses } from './responses.ts';

/** The demo plan's scheduled calls per day for five tokens: `latest` every 6 min, `chart` every 6 h, `daily` once. */
const SCHEDULE = { latest: 240, chart: 20, daily: 5 } as const;
const MONTH = 10_000;

type Run = { name: string; processes: number; days: number; every: number; queries: Queries };

const RUNS: readonly Run[] = [
  {
    name: 'a day, 1 user',
    processes: 1,
    days: 1,
    every: MINUTE,
    queries: (...args) => [randomQuery(...args)],
  },
  { name: 'a day, 10,000 users', processes: 1, days: 1, every: MINUTE, queries: allQueries },
  {
    name: 'a day, 10,000 users, 3 processes',
    processes: 3,
    days: 1,
    every: MINUTE,
    queries: allQueries,
  },
  { name: '31 days', processes: 1, days: 31, every: 3 * MINUTE, queries: commonQueries },
];

async function simulate({ processes, days, every, queries }: Run, environment: Environment) {
  const { open, drop } = await openBenchDatabase(environment);
  const simulation = await openSimulation({ open, processes });
  for (let at = 0; at < days * DAY; at += every) await simulation.step(every, queries);
  await simulation.close();
  await drop();
  return simulation.outcome();
}

/**
 * Compares the number of calls to CoinGecko per day on the demo plan with the schedule. Users send requests in each
 * simulated minute. Ten thousand users send every kind of request in every minute.
 */
export async function measure(environment: Environment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const run of RUNS) {
    const { name, days, processes } = run;
    if (processes > 1 && environment.databaseServer === undefined) {
      console.error(`${name} is skipped: it requires a PostgreSQL server.`);
      continue;
    }
    const { calls, firstFills, total, responses, failures } = await simulate(run, environment);
    printResponses(name, responses, failures);
    for (const kind of ['latest', 'chart', 'daily'] as const) {
      figures.push(atMost(`${name}: calls for ${kind}`, calls[kind], SCHEDULE[kind] * days, 'calls'));
    }
    figures.push({ figure: `${name}: backfills`, measured: `${firstFills} calls`, bar: '' });
    if (days > 1) figures.push(atMost(`${name}: total calls`, total, MONTH, 'calls'));
  }
  return figures;
}
