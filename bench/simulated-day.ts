import { DAY, MINUTE } from '#core/clock';
import { allQueries, commonQueries, openSimulation, type Queries, randomQuery } from '../fixtures/simulation.ts';
import type { Environment } from './environment.ts';
import { openBenchDatabase } from './simulated-database.ts';
import { atMost, type Figure } from './table.ts';

/** What the demo plan's timetable allows in a day: latest every 6 min, chart every 6 h and daily once, for five tokens. */
const TIMETABLE = { latest: 240, chart: 20, daily: 5 } as const;
const MONTH = 10_000;

type Run = { name: string; processes: number; days: number; every: number; questions: Queries };

const RUNS: readonly Run[] = [
  {
    name: 'a day, 1 user',
    processes: 1,
    days: 1,
    every: MINUTE,
    questions: (...of) => [randomQuery(...of)],
  },
  { name: 'a day, 10,000 users', processes: 1, days: 1, every: MINUTE, questions: allQueries },
  {
    name: 'a day, 10,000 users, 3 processes',
    processes: 3,
    days: 1,
    every: MINUTE,
    questions: allQueries,
  },
  { name: '31 days', processes: 1, days: 31, every: 3 * MINUTE, questions: commonQueries },
];

async function simulate({ processes, days, every, questions }: Run, environment: Environment) {
  const { open, drop } = await openBenchDatabase(environment);
  const simulation = await openSimulation({ open, processes });
  for (let at = 0; at < days * DAY; at += every) await simulation.step(every, questions);
  await simulation.close();
  await drop();
  return simulation.outcome();
}

/**
 * The aggregator's calls of a day on the demo plan, beside the timetable's: the clock goes from minute to minute, and
 * in each of them the users ask. What matters of ten thousand is that everything is asked in every minute.
 */
export async function measure(environment: Environment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const run of RUNS) {
    const { name, days, processes } = run;
    if (processes > 1 && environment.databaseServer === undefined) {
      console.error(`${name} is left out: it needs a PostgreSQL server.`);
      continue;
    }
    const { calls, firstFills, total, responses, failures } = await simulate(run, environment);
    console.error(`${name}: ${responses} responses, ${failures.length} failures ${failures.slice(0, 3).join('; ')}`);
    for (const kind of ['latest', 'chart', 'daily'] as const) {
      figures.push(atMost(`${name}: calls for ${kind}`, calls[kind], TIMETABLE[kind] * days, 'calls'));
    }
    figures.push({ figure: `${name}: first fills`, measured: `${firstFills} calls`, bar: '' });
    if (days > 1) figures.push(atMost(`${name}: calls in all`, total, MONTH, 'calls'));
  }
  return figures;
}
