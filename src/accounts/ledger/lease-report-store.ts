import { arrayOf } from '#database/values';
import type { Prisma } from '#generated/prisma/client';

/** What a process reports of a lease. Every figure is a total, so a report that is sent twice counts once. */
export type LeaseReport = {
  /** The lease, as a UUID. */
  id: string;
  /** The record number of the user. */
  userKey: number;
  /** The start of the period that the calls count for, in Unix ms. */
  periodStart: number;
  /** The UTC date of the calls, as its midnight in Unix ms. */
  date: number;
  /** Calls spent from it so far. */
  spent: number;
  /** How many of these the ledger has acknowledged: it counts from there when it has deleted the row of an old lease. */
  settled: number;
  /** How many it should hold in all, the spent ones included; 0 asks for none. */
  want: number;
  /** How many calls must be there to be spent after it: where there are fewer in all, it is granted none. */
  need: number;
  /** The number of the report among those of its lease, so that a delayed one undoes nothing. */
  seq: number;
  /** Whether the unspent calls go back. */
  close: boolean;
  /** How many of the unspent calls may stay with an idle user when the others go back. */
  rest: number;
};

/** The lease after a report. */
export type LeaseState = {
  /** Calls it holds in all, the spent ones included; 0 when nothing could be granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired: nothing more is spent from it. */
  closed: boolean;
  /** Calls that the user has in a period. */
  limit: number;
  /** Calls of the period that nobody has spent or holds; negative after the limit was lowered. */
  left: number;
  /**
   * Seconds until calls that other processes hold may come back: soon where these have just been asked for them, else
   * when the next lease may be reclaimed (0 or less: now). Null when nobody holds any, when all together are fewer than
   * are needed, and for a lease that has what it needs.
   */
  reclaimableIn: number | null;
};

/** A column of reports as a PostgreSQL array. Reports and states travel as columns: as rows they would be megabytes. */
export const columnOf = (
  reports: readonly LeaseReport[],
  type: 'uuid' | 'int' | 'bigint' | 'bool',
  of: (report: LeaseReport) => string | number | boolean,
): Prisma.Sql => arrayOf(type, reports.map(of));

/** Lease states as columns, each a JSON list; `n` is the number of the report, from 1. */
export type StateColumns = Record<'n' | keyof LeaseState, string | null>;

/** The state of each report in its place; undefined where there is none. */
export function statesOf(columns: StateColumns | undefined, reported: number): (LeaseState | undefined)[] {
  const list = <Value>(name: keyof StateColumns) => JSON.parse(columns?.[name] ?? '[]') as Value[];
  const [granted, closed, limit] = [list<number>('granted'), list<boolean>('closed'), list<number>('limit')];
  const [left, reclaimableIn] = [list<number>('left'), list<number | null>('reclaimableIn')];
  const states: (LeaseState | undefined)[] = Array.from({ length: reported });
  list<number>('n').forEach((n, i) => {
    states[n - 1] = {
      granted: granted[i] as number,
      closed: closed[i] as boolean,
      limit: limit[i] as number,
      left: left[i] as number,
      reclaimableIn: reclaimableIn[i] as number | null,
    };
  });
  return states;
}
