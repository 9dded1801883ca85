import { setTimeout as wait } from 'node:timers/promises';
import { countResponses, hasWrk } from '../../measuring/load.ts';
import { reading } from '../../measuring/reading.ts';
import { atLeast, atMost, type Figure, none, seen } from '../../measuring/table.ts';
import { execute } from '../../stand/database.ts';
import type { Environment } from '../../stand/environment.ts';
import { freePort } from '../../stand/free-port.ts';
import { LATEST, openStand } from '../../stand/stand.ts';
import { watchUnsettled } from './unsettled.ts';

const PROCESSES = 4;
const MANY = 100_000;
const FEW = 10_000;
const LIMIT = 100_000;
/** Enough connections for the first grants of all keys to complete within seconds. */
const CONNECTIONS = 512;
/** How long the keys are in use, and how long responses are counted at the end of that time, in seconds. */
const FEW_TURN = { inUse: 20, counted: 8 };
const MANY_TURN = { inUse: 60, counted: 10 };

export type Turn = { inUse: number; counted: number };
type Process = { latest: string; metrics: string };

/** Distributes the keys to the processes in lists of equal length, so that the load generator's work is equal. */
const distribute = (keys: readonly string[]): string[][] =>
  Array.from({ length: PROCESSES }, (_, p) =>
    Array.from({ length: MANY / PROCESSES }, (_, i) => keys[(i * PROCESSES + p) % keys.length] as string),
  );

/** Compares 100,000 active keys on four processes with 10,000 keys. Checks that all calls are in the ledger. */
export async function measure(environment: Environment, tree: string): Promise<Figure[]> {
  if (!hasWrk) {
    console.error('100,000 keys are skipped: wrk is not installed, and only wrk reaches the required rate.');
    return [];
  }
  const stand = await openStand(environment, 0, tree);
  try {
    const keys = await stand.makeUsers(MANY, LIMIT);
    const processes: Process[] = [];
    for (let i = 0; i < PROCESSES; i++) {
      const port = await freePort();
      const { url } = await stand.startService({ METRICS_PORT: String(port) });
      processes.push({ latest: `${url}${LATEST}`, metrics: `http://127.0.0.1:${port}/metrics` });
    }

    const unsettled = watchUnsettled(processes.map(({ metrics }) => metrics));
    const few = distribute(keys.slice(0, FEW));
    const before = await use(processes, few, FEW_TURN);
    const during = await use(processes, distribute(keys), MANY_TURN);
    const after = await use(processes, few, FEW_TURN);
    const longest = await unsettled.close();

    const total = before.responses + during.responses + after.responses;
    const inLedger = await booked(stand.databaseUrl);
    const ratio = during.rate / ((before.rate + after.rate) / 2);
    const inWords = ({ rate, leases }: Use) => `${rate.toFixed(0)} (${leases} leases)`;
    return [
      atLeast('100,000 active keys on four processes: rate against 10,000 keys', ratio, 0.85),
      seen(
        '… responses per second with 10,000, with 100,000, with 10,000 again',
        [before, during, after].map(inWords).join(', '),
      ),
      atMost('… longest time until a call is in the ledger', longest, 5, 's'),
      none(`… difference between the calls in the ledger and the ${total} responses`, Math.abs(inLedger - total)),
    ];
  } finally {
    await stand.close();
  }
}

/** The results of a round: all responses, the rate while all keys were in use, and the open leases at that time. */
type Use = { responses: number; rate: number; leases: number };

/** Makes calls with the distributed keys. */
export async function use(
  processes: readonly Process[],
  distributed: readonly string[][],
  { inUse, counted }: Turn,
): Promise<Use> {
  const loads = processes.map(({ latest }, p) =>
    countResponses({ url: latest, keys: distributed[p] ?? [], seconds: inUse, connections: CONNECTIONS }),
  );
  const responses = Promise.all(loads);
  await Promise.race([responses, wait((inUse - counted) * 1000)]);
  const first = await readCounters(processes);
  await Promise.race([responses, wait((counted - 1) * 1000)]);
  const last = await readCounters(processes);
  const rate = ((last.answered - first.answered) * 1000) / (last.at - first.at);
  return { responses: sumOf(await responses), rate, leases: last.leases };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** The sums of the processes' counters, and the time at which they were read. */
async function readCounters(processes: readonly Process[]) {
  const at = performance.now();
  const readings = await Promise.all(processes.map(({ metrics }) => reading(metrics)));
  const series = ['quotient_http_requests_total', 'latest/token', 'status="200"'] as const;
  return {
    at,
    answered: sumOf(readings.map((read) => read(...series))),
    leases: sumOf(readings.map((read) => read('quotient_leases_open'))),
  };
}

/** The number of all users' calls in the ledger. */
export async function booked(url = ''): Promise<number> {
  const [row] = await execute<{ calls: number }>(
    url,
    'SELECT ((SELECT sum(used) FROM usage) - (SELECT coalesce(sum(granted - spent), 0) FROM lease))::int AS calls',
  );
  return row?.calls ?? Number.NaN;
}
