import { anyQuestion, everyQuestion, openSimulation } from '../test/support/chaos-simulation.ts';
import { openBenchDatabase } from './simulated-database.ts';
import { atMost, type Figure } from './table.ts';

/** What the demo plan's timetable allows in a day: latest every 6 min, chart every 6 h and daily once, for five tokens. */
const TIMETABLE = { latest: 240, chart: 20, daily: 5 } as const;
const MONTH = 10_000;

type Run = { users: string; processes: number; days: number };

async function simulate({ users, processes, days }: Run) {
  const { open, drop } = await openBenchDatabase(processes);
  const simulation = await openSimulation({ open, processes });
  for (let i = 0; i < days * 24 * 60; i++) {
    await simulation.minute((random, now) =>
      users === '1' ? [anyQuestion(random, now)] : everyQuestion(random, now),
    );
  }
  await simulation.close();
  await drop();
  return simulation.outcome();
}

/**
 * The aggregator's calls of a day on the demo plan, beside the timetable's: the clock goes from minute to minute, and
 * in each of them the users ask. What matters of ten thousand is that everything is asked in every minute.
 */
export async function measure(): Promise<Figure[]> {
  const runs: Run[] = [
    { users: '1', processes: 1, days: 1 },
    { users: '10,000', processes: 1, days: 1 },
    { users: '10,000', processes: 3, days: 1 },
    { users: '10,000', processes: 1, days: 31 },
  ];
  const figures: Figure[] = [];
  for (const run of runs) {
    const { calls, firstFills, total, busiestMinute, answers, failures } = await simulate(run);
    const name = `${run.days} d, ${run.users} users, ${run.processes} process${run.processes > 1 ? 'es' : ''}`;
    console.error(
      `${name}: ${JSON.stringify({ ...calls, firstFills, total, busiestMinute, answers, failures })}`,
    );
    for (const kind of ['latest', 'chart', 'daily'] as const) {
      figures.push(atMost(`${name}: ${kind}`, calls[kind], TIMETABLE[kind] * run.days, 'calls'));
    }
    figures.push({ figure: `${name}: first fills`, measured: `${firstFills} calls`, bar: '' });
    if (run.days > 1) figures.push(atMost(`${name}: all`, total, MONTH, 'calls'));
  }
  return figures;
}
