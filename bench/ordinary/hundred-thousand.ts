import { setTimeout as wait } from 'node:timers/promises';
import { execute } from '../database.ts';
import type { Environment } from '../environment.ts';
import { freePort } from '../free-port.ts';
import { countAnswers, hasWrk } from '../load.ts';
import { reading } from '../reading.ts';
import { LATEST, openStand } from '../stand.ts';
import { atLeast, atMost, type Figure, none, seen } from '../table.ts';
import { watchUnsettled } from './unsettled.ts';

const PROCESSES = 4;
const MANY = 100_000;
const FEW = 10_000;
const LIMIT = 100_000;
/** So many that the keys' first grants, which are waited for, are over in seconds. */
const CONNECTIONS = 512;
/** How long the keys are in use, and for how much of that, towards the end, answers are counted; in seconds. */
const FEW_TURN = { inUse: 20, counted: 8 };
const MANY_TURN = { inUse: 60, counted: 10 };

type Process = { latest: string; metrics: string };

/** What each process is asked with: the keys dealt out, each in lists as long, so that asking is the same work. */
const deal = (keys: readonly string[]): string[][] =>
  Array.from({ length: PROCESSES }, (_, p) =>
    Array.from({ length: MANY / PROCESSES }, (_, i) => keys[(i * PROCESSES + p) % keys.length] as string),
  );

/** A hundred thousand keys in use on four processes together, beside ten thousand, and whether all is in the ledger. */
export async function measure(environment: Environment, tree: string): Promise<Figure[]> {
  if (!hasWrk) {
    console.error('A hundred thousand keys are left out: only wrk, which is not installed, can ask so often.');
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
    const few = deal(keys.slice(0, FEW));
    const before = await use(processes, few, FEW_TURN);
    const during = await use(processes, deal(keys), MANY_TURN);
    const after = await use(processes, few, FEW_TURN);
    const longest = await unsettled.close();

    const total = before.answers + during.answers + after.answers;
    const inLedger = await booked(stand.databaseUrl);
    const ratio = during.rate / ((before.rate + after.rate) / 2);
    const seenOf = ({ rate, leases }: Use) => `${rate.toFixed(0)} (${leases} leases)`;
    return [
      atLeast('100,000 active keys on four processes against 10,000', ratio, 0.85),
      seen('… answers a second, with 10,000, with 100,000, again', [before, during, after].map(seenOf).join(', ')),
      atMost('… the longest that a call was not in the ledger', longest, 5, 's'),
      none(`… calls that the ledger has more or fewer than the ${total} answered`, Math.abs(inLedger - total)),
    ];
  } finally {
    await stand.close();
  }
}

/** What came of a turn: all answers, how many a second once all keys were in use, and the leases open then. */
type Use = { answers: number; rate: number; leases: number };

/** Asks with the keys that were dealt out. */
async function use(
  processes: readonly Process[],
  dealt: readonly string[][],
  { inUse, counted }: typeof FEW_TURN,
): Promise<Use> {
  const loads = processes.map(({ latest }, p) =>
    countAnswers({ url: latest, keys: dealt[p] ?? [], seconds: inUse, connections: CONNECTIONS }),
  );
  const answers = Promise.all(loads);
  await Promise.race([answers, wait((inUse - counted) * 1000)]);
  const first = await standing(processes);
  await Promise.race([answers, wait((counted - 1) * 1000)]);
  const last = await standing(processes);
  const rate = ((last.answered - first.answered) * 1000) / (last.at - first.at);
  return { answers: sumOf(await answers), rate, leases: last.leases };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** What the processes tell of themselves together, and when they were asked. */
async function standing(processes: readonly Process[]) {
  const at = performance.now();
  const readings = await Promise.all(processes.map(({ metrics }) => reading(metrics)));
  const answers = ['quotient_http_requests_total', 'latest/token', 'status="200"'] as const;
  return {
    at,
    answered: sumOf(readings.map((read) => read(...answers))),
    leases: sumOf(readings.map((read) => read('quotient_leases_open'))),
  };
}

/** The calls that the ledger has, of all users. */
async function booked(url = ''): Promise<number> {
  const [row] = await execute<{ calls: number }>(
    url,
    'SELECT ((SELECT sum(used) FROM usage) + (SELECT coalesce(sum(unbooked), 0) FROM lease))::int AS calls',
  );
  return row?.calls ?? Number.NaN;
}
