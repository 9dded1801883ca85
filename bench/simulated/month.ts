import { DAY, HOUR, MINUTE } from '#core/clock';
import { commonQueries, openSimulation, type Simulation } from '../../fixtures/simulation.ts';
import { atMost, type Figure } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openBenchDatabase } from './database.ts';
import { printResponses } from './responses.ts';

const DAYS = 31;
const EVERY = 3 * MINUTE;

type Run = { name: string; perMonth: number; during?: (at: number, sandbox: Simulation['sandbox']) => void };

/** Makes all calls fail in the first hours of each day. */
const failing = (hours: number) => (at: number, sandbox: Simulation['sandbox']) => {
  if (at % DAY === 0) sandbox.faults.always({ kind: 'status', status: 500 });
  if (at % DAY === hours * HOUR) sandbox.faults.clear();
};

const RUNS: readonly Run[] = [
  { name: 'a month of 3,000 calls', perMonth: 3_000 },
  { name: 'a month of 500 calls', perMonth: 500 },
  { name: 'a month of 3,000 calls, all calls of half of each day fail', perMonth: 3_000, during: failing(12) },
];

async function simulate({ perMonth, during }: Run, environment: Environment) {
  const { open, drop } = await openBenchDatabase(environment);
  const env = { COINGECKO_CALLS_PER_MONTH: String(perMonth) };
  const simulation = await openSimulation({ open, processes: 1, env });
  for (let at = 0; at < DAYS * DAY; at += EVERY) {
    during?.(at, simulation.sandbox);
    await simulation.step(EVERY, commonQueries);
  }
  await simulation.close();
  await drop();
  return simulation.outcome();
}

/** Simulates a month on the demo plan with a budget below the schedule. The calls must not exceed the budget. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const run of RUNS) {
    const { name, perMonth } = run;
    const { total, oldest, lastCallAt, responses, failures } = await simulate(run, environment);
    printResponses(name, responses, failures);
    figures.push(atMost(`${name}: calls`, total, perMonth, 'calls'));
    figures.push({ figure: `${name}: oldest response`, measured: `${(oldest / HOUR).toFixed(2)} h`, bar: '' });
    const day = new Date(lastCallAt).toISOString().slice(0, 16);
    figures.push({ figure: `${name}: last call`, measured: day, bar: '' });
  }
  return figures;
}
