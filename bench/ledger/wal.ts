import { setTimeout as wait } from 'node:timers/promises';
import { HOUR, MINUTE, SECOND } from '#core/clock';
import { openDatabase } from '#database/database';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import type { KeyHolder } from '#keys/key-validity';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import { type Figure, median, seen } from '../measuring/table.ts';
import { execute, makeDatabase } from '../stand/database.ts';
import type { Environment } from '../stand/environment.ts';
import { TREE } from '../stand/node.ts';
import { makeUsers, migrate } from '../stand/users.ts';

/** As long as PostgreSQL waits by default: the first change of a page after a checkpoint writes the whole page. */
const CHECKPOINT_EVERY = 5 * MINUTE;
const LIMIT = 10_000_000;

/** `calls` returns the number of calls that the key `n` makes in the tick `t`, counted from 0. */
type Load = { name: string; keys: number; minutes: number; calls: (n: number, t: number) => number };

export const every = (seconds: number) => (n: number, t: number) => ((n * 7 + t) % seconds === 0 ? 1 : 0);
const once = (_: number, t: number) => (t === 0 ? 1 : 0);

// A resting lease is closed after ten minutes. Resting keys are measured before that.
const LOADS: readonly Load[] = [
  { name: 'one call every 2 s', keys: 1_000, minutes: 15, calls: every(2) },
  { name: 'one call every 4 s', keys: 1_000, minutes: 15, calls: every(4) },
  { name: '10 calls a second', keys: 1_000, minutes: 15, calls: () => 10 },
  { name: 'one call a minute', keys: 1_000, minutes: 15, calls: every(60) },
  { name: 'no calls, resting', keys: 1_000, minutes: 8, calls: once },
  {
    name: 'one key in ten with a call every 2 s, the others resting',
    keys: 1_000,
    minutes: 8,
    calls: (n, t) => (n % 10 === 0 ? every(2)(n, t) : once(n, t)),
  },
  { name: 'one key with a call a second', keys: 1, minutes: 15, calls: () => 1 },
];
/** One process with this many keys, each with a call in every tick: how long do the statements of a tick take? */
const TIMED = { name: 'timed', keys: 10_000, minutes: 1, calls: () => 1 } satisfies Load;

/** The totals of a server: its WAL in bytes, how often WAL was written to the disk, and the database's row versions. */
async function readWritten(url: string) {
  const [row] = await execute<{ wal: string; writes: string; versions: string }>(
    url,
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal, (SELECT wal_write FROM pg_stat_wal) AS writes,
      (SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables) AS versions`,
  );
  return { wal: Number(row?.wal), writes: Number(row?.writes), versions: Number(row?.versions) };
}

/** A database that is measured. `prepare` is called when it has its users, and before the ledger is used. */
export type MeasuredDatabase = {
  url: string;
  /** The servers that have the database's rows. */
  nodes: readonly string[];
  prepare: () => Promise<void>;
  close: () => Promise<void>;
};

/** Simulates one process, with a tick every second of simulated time. Nothing else may write to the servers. */
export async function play({ url, nodes, prepare }: MeasuredDatabase, { keys, minutes, calls }: Load) {
  const onNodes = (statement: string) => Promise.all(nodes.map((node) => execute(node, statement)));
  const readNodes = () => Promise.all(nodes.map(readWritten));
  const location = { url, dataDir: 'unused' };
  await migrate(location, TREE);
  const apiKeys = await makeUsers(location, keys, LIMIT);
  await prepare();
  const database = await openDatabase(location);
  let now = Date.now();
  const start = now;
  const clock = { now: () => now, elapsed: () => now - start + 1 };
  const failures = {
    failed(work: string, error: unknown) {
      throw new Error(work, { cause: error });
    },
  };
  let waited = 0;
  let statements = 0;
  const query: typeof database.query = async (...statement) => {
    statements++;
    const since = performance.now();
    const rows = await database.query<never>(...statement);
    waited += performance.now() - since;
    return rows;
  };
  const change: typeof database.execute = async (...statement) => {
    statements++;
    const since = performance.now();
    const count = await database.execute(...statement);
    waited += performance.now() - since;
    return count;
  };
  const allowance = createAllowance({
    keyCache: createKeyCache({ store: createKeyHolderStore(database.prisma), clock }),
    ledger: createLedgerStore({ ...database, query, execute: change }),
    clock,
    failures,
    tickMs: 2 ** 30,
  });
  const callers: KeyHolder[] = [];
  for (const apiKey of apiKeys) callers.push(await allowance.holderOf(apiKey));

  const tickTimes: number[] = [];
  async function tick(t: number): Promise<void> {
    const receipts = callers.flatMap((key, n) => Array.from({ length: calls(n, t) }, () => allowance.spend(key, 1)));
    for (const receipt of await Promise.all(receipts)) allowance.keep(receipt);
    now += SECOND;
    waited = 0;
    await allowance.settle();
    tickTimes.push(waited);
  }

  // The first minute rests idle keys.
  for (let t = 0; t < 60; t++) await tick(t);
  await onNodes('CHECKPOINT');
  const before = await readNodes();
  statements = 0;
  for (let t = 60; t < 60 * (1 + minutes); t++) {
    if (t > 60 && ((t - 60) * SECOND) % CHECKPOINT_EVERY === 0) await onNodes('CHECKPOINT');
    await tick(t);
  }
  allowance.abandon();
  await database.close();
  // The sessions publish their statistics when they end.
  await wait(SECOND);
  const after = await readNodes();
  const perKeyAndHour = (total: number) => (total / keys) * (HOUR / (minutes * MINUTE));
  return {
    /** What each node has written, in the order of `nodes`. */
    nodes: after.map(({ wal, writes, versions }, n) => ({
      wal: perKeyAndHour(wal - (before[n]?.wal ?? 0)),
      writesPerTick: (writes - (before[n]?.writes ?? 0)) / (minutes * 60),
      versions: perKeyAndHour(versions - (before[n]?.versions ?? 0)),
    })),
    statements: perKeyAndHour(statements),
    tickTime: median(tickTimes.slice(-60)),
  };
}

/** Creates a database on a server. `close` deletes it. */
async function openOn(server: string): Promise<MeasuredDatabase> {
  const { url, drop } = await makeDatabase(server);
  return { url, nodes: [url], prepare: async () => undefined, close: drop };
}

async function playOn(server: string, load: Load) {
  const measured = await openOn(server);
  try {
    const { nodes, tickTime } = await play(measured, load);
    const [{ wal, versions } = { wal: Number.NaN, versions: Number.NaN }] = nodes;
    return { wal, versions, tickTime };
  } finally {
    await measured.close();
  }
}

/** Measures what the ledger writes for each active key. */
export async function measure({ databaseServer }: Environment): Promise<Figure[]> {
  if (databaseServer === undefined) return [];
  const figures: Figure[] = [];
  for (const load of LOADS) {
    const { wal, versions } = await playOn(databaseServer, load);
    const text = `${(wal / 1000).toFixed(1)} KB, ${versions.toFixed(0)} row versions`;
    figures.push(seen(`WAL for each key and hour: ${load.name}`, text));
    console.error(`${load.name}: ${text}`);
  }
  const { tickTime } = await playOn(databaseServer, TIMED);
  figures.push(seen('Time of the statements of a tick with 10,000 active keys', `${tickTime.toFixed(0)} ms`));
  return figures;
}
