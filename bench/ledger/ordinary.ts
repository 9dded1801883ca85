/**
 * Simulates ordinary clients: many keys that are idle between their calls. Calls are made at random times, whether or
 * not the service is ready. Latency is measured from the scheduled time. Part of `npm run bench`. To run it alone:
 *
 *     node bench/ordinary.ts                              both databases
 *     node bench/ordinary.ts --only alone --only page     some of the rows
 *     node bench/ordinary.ts --tree . --tree ../before    two built checkouts, alternating for each row
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, printTable } from '../measuring/table.ts';
import { type Environment, openEnvironment } from '../stand/environment.ts';
import { TREE } from '../stand/node.ts';
import { type OpenCallers, openCallers } from './ordinary/callers.ts';
import { FIRST_CALLS, startLongRest } from './ordinary/first-calls.ts';
import { measure as measureHundredThousand } from './ordinary/hundred-thousand.ts';

const ROWS = ['alone', 'polling', 'page', 'unseen', 'long', 'many'] as const;
type Row = (typeof ROWS)[number];

type Options = { trees?: readonly string[]; only?: readonly Row[] };

/** Measures a row for each target in sequence. Prefixes the figures with the target's name. */
async function measureEach<T>(
  targets: ReadonlyMap<string, T>,
  measure: (target: T) => Promise<Figure[]>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, target] of targets) {
    for (const row of await measure(target)) {
      figures.push({ ...row, figure: `${name}: ${row.figure}` });
      console.error(`${figures.at(-1)?.figure}: ${row.measured}`);
    }
  }
  return figures;
}

/** Measures the first calls of keys after an idle time, on one database. */
async function measureFirstCalls(
  environment: Environment,
  trees: ReadonlyMap<string, string>,
  only: ReadonlySet<Row>,
): Promise<Figure[]> {
  const callers = new Map<string, OpenCallers>();
  try {
    for (const [name, tree] of trees) callers.set(name, await openCallers(environment, tree));
    const longRests = new Map<string, () => Promise<Figure[]>>();
    if (only.has('long')) for (const [name, caller] of callers) longRests.set(name, await startLongRest(caller));
    const figures: Figure[] = [];
    for (const row of ['alone', 'polling', 'page', 'unseen'] as const) {
      // Ten thousand look-ups at intervals of a few ms require a database server.
      const isSkipped = row === 'unseen' && environment.databaseServer === undefined;
      if (only.has(row) && !isSkipped) figures.push(...(await measureEach(callers, FIRST_CALLS[row])));
    }
    figures.push(...(await measureEach(longRests, (measured) => measured())));
    return figures;
  } finally {
    for (const caller of callers.values()) await caller.close();
  }
}

export async function measure(
  environment: Environment,
  { trees = [TREE], only = ROWS }: Options = {},
): Promise<Figure[]> {
  const rows = new Set(only);
  const figures: Figure[] = [];
  const databases = new Map([['embedded', undefined]] as [string, string | undefined][]);
  if (environment.databaseServer !== undefined) databases.set('PostgreSQL', environment.databaseServer);
  for (const [database, databaseServer] of databases) {
    const named = new Map(
      trees.map((tree) => [trees.length > 1 ? `${basename(resolve(tree))}, ${database}` : database, resolve(tree)]),
    );
    if (ROWS.some((row) => row !== 'many' && rows.has(row)))
      figures.push(...(await measureFirstCalls({ databaseServer }, named, rows)));
    if (rows.has('many') && databaseServer !== undefined)
      figures.push(...(await measureEach(named, (tree) => measureHundredThousand({ databaseServer }, tree))));
  }
  return figures;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, tree: { type: 'string', multiple: true } },
  });
  const isRow = (name: string): name is Row => (ROWS as readonly string[]).includes(name);
  const only = values.only?.filter(isRow);
  if (only?.length !== values.only?.length) {
    console.error(`--only must be one of ${ROWS.join(', ')}`);
    process.exit(2);
  }
  const environment = await openEnvironment();
  try {
    printTable(await measure(environment, { trees: values.tree ?? [TREE], only: only ?? ROWS }));
  } finally {
    await environment.close();
  }
}
