import type { CopySource, Digest, Table } from './source.ts';
import type { CopyTarget, Progress } from './target.ts';

/** `of` is the number of rows in the table. */
export type CopyEvent =
  | { kind: 'resumed' }
  | { kind: 'started over' }
  | { kind: 'copying'; table: string; rows: number; of: number }
  | { kind: 'copied'; table: string; rows: number }
  | { kind: 'comparing'; table: string };

export type Compared = { table: string; source: Digest; target: Digest };

export type CopyOutcome =
  | { kind: 'finished'; tables: readonly Compared[]; copied: number }
  /** The copy is not complete, because these tables differ (`different`) or the source was written to (`changed`). */
  | { kind: 'different' | 'changed'; tables: readonly Compared[] }
  | { kind: 'interrupted' };

type Run = {
  source: CopySource;
  target: CopyTarget;
  onEvent: (event: CopyEvent) => void;
  /** The source's name. The copy starts over if an unfinished copy has another source. */
  name: string;
  unfinished: Progress | undefined;
  /** Whether other clients may write to the source. The copy contains the state of the source at its start. */
  isLive: boolean;
  signal?: AbortSignal;
};

/** PostgreSQL's class of constraint violations. */
const isViolation = (error: unknown) => /^23/.test(String(Object(error).code));
const isSame = ({ source, target }: Compared) => source.rows === target.rows && source.sum === target.sum;

/** Returns the number of copied rows, or undefined if the copy is interrupted. */
async function copyTable(run: Run, table: Table, of: number, from?: Progress): Promise<number | undefined> {
  const { source, target, onEvent, name, signal } = run;
  let rows = from?.rows ?? 0;
  const before = rows;
  const batches = source.rows(table, from?.after);
  let next = batches.next();
  for (;;) {
    const { value: batch } = await next;
    if (!batch) return rows - before;
    if (signal?.aborted) return undefined;
    // The source reads the next rows while the target writes these.
    next = batches.next();
    rows += batch.rows.length;
    await Promise.all([
      next,
      target.write(table, batch.rows, { source: name, table: table.name, after: batch.last, rows }),
    ]);
    onEvent({ kind: 'copying', table: table.name, rows, of });
  }
}

/** Resumes an earlier run, or copies from the start, and then compares. Returns undefined if it is interrupted. */
async function attempt(run: Run, tables: readonly Table[], from?: Progress) {
  const { source, target, onEvent } = run;
  if (from) await target.resume();
  else await target.begin(tables, run.name);
  const digests: { table: Table; digest: Digest }[] = [];
  let copied = 0;
  let isDone = from?.table !== undefined;
  for (const table of tables) {
    const digest = await source.digest(table);
    digests.push({ table, digest });
    const isFrom = table.name === from?.table;
    if (isFrom) isDone = false;
    if (isDone) continue;
    const count = await copyTable(run, table, digest.rows, isFrom ? from : undefined);
    if (count === undefined) return undefined;
    copied += count;
    onEvent({ kind: 'copied', table: table.name, rows: digest.rows });
  }
  const compared: Compared[] = [];
  for (const { table, digest } of digests) {
    onEvent({ kind: 'comparing', table: table.name });
    compared.push({ table: table.name, source: digest, target: await target.digest(table) });
  }
  return { copied, compared };
}

export async function copyDatabase(run: Run): Promise<CopyOutcome> {
  const { source, target, onEvent, unfinished } = run;
  await source.begin();
  const tables = await source.tables();
  const from = unfinished?.source === run.name ? unfinished : undefined;
  if (unfinished) onEvent({ kind: from ? 'resumed' : 'started over' });

  let result = await attempt(run, tables, from).catch((error) => {
    if (from && isViolation(error)) return 'misfit' as const;
    throw error;
  });
  if (from && result && (result === 'misfit' || !result.compared.every(isSame))) {
    onEvent({ kind: 'started over' });
    await source.end();
    await source.begin();
    result = await attempt(run, tables);
  }
  if (!result || result === 'misfit') return { kind: 'interrupted' };

  const { copied, compared } = result;
  const different = compared.filter((table) => !isSame(table));
  if (different.length > 0) return { kind: 'different', tables: different };
  const sequences = await source.sequences();
  await source.end();
  if (!run.isLive) {
    const now = await source.digestsNow(tables);
    const changed = compared
      .map((table, i) => ({ ...table, source: now[i] as Digest }))
      .filter((table) => !isSame(table));
    if (changed.length > 0) return { kind: 'changed', tables: changed };
  }
  await target.finish(tables, sequences);
  return { kind: 'finished', tables: compared, copied };
}
