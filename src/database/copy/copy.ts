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

type Dependencies = { source: CopySource; target: CopyTarget; onEvent?: (event: CopyEvent) => void };

type Run = {
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

export function createCopy({ source, target, onEvent = () => undefined }: Dependencies) {
  async function copyTable(table: Table, of: number, run: Run, from?: Progress): Promise<number | false> {
    let rows = from?.rows ?? 0;
    const before = rows;
    const batches = source.rows(table, from?.after);
    let next = batches.next();
    for (;;) {
      const { value: batch } = await next;
      if (!batch) return rows - before;
      if (run.signal?.aborted) return false;
      // The source reads the next rows while the target writes these.
      next = batches.next();
      rows += batch.rows.length;
      const progress = { source: run.name, table: table.name, after: batch.last, rows };
      await Promise.all([next, target.write(table, batch.rows, progress)]);
      onEvent({ kind: 'copying', table: table.name, rows, of });
    }
  }

  /** Resumes an earlier run, or copies from the start, and then compares. Returns undefined if it is interrupted. */
  async function attempt(tables: readonly Table[], run: Run, from?: Progress) {
    if (from) await target.resume();
    else await target.begin(tables, run.name);
    const sources: { table: Table; source: Digest }[] = [];
    let copied = 0;
    let isDone = from?.table !== undefined;
    for (const table of tables) {
      const digest = await source.digest(table);
      sources.push({ table, source: digest });
      const isFrom = table.name === from?.table;
      if (isFrom) isDone = false;
      if (isDone) continue;
      const count = await copyTable(table, digest.rows, run, isFrom ? from : undefined);
      if (count === false) return undefined;
      copied += count;
      onEvent({ kind: 'copied', table: table.name, rows: digest.rows });
    }
    const compared: Compared[] = [];
    for (const { table, source } of sources) {
      onEvent({ kind: 'comparing', table: table.name });
      compared.push({ table: table.name, source, target: await target.digest(table) });
    }
    return { copied, compared };
  }

  return async function copy(run: Run): Promise<CopyOutcome> {
    await source.begin();
    const tables = await source.tables();
    const left = run.unfinished;
    const from = left?.source === run.name ? left : undefined;
    if (left) onEvent({ kind: from ? 'resumed' : 'started over' });

    let result = await attempt(tables, run, from).catch((error) => {
      if (from && isViolation(error)) return 'misfit' as const;
      throw error;
    });
    if (from && result && (result === 'misfit' || !result.compared.every(isSame))) {
      onEvent({ kind: 'started over' });
      await source.end();
      await source.begin();
      result = await attempt(tables, run);
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
  };
}
