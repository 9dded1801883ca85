import { arrayOf } from '#database/values';
import type { Prisma } from '#generated/prisma/client';

/** Every figure is a total, so a report that is sent twice counts once. */
export type LeaseReport = {
  id: string;
  userKey: number;
  /** The start of the period, in Unix ms. */
  periodStart: number;
  /** The UTC date of the calls, as its midnight in Unix ms. */
  date: number;
  spent: number;
  /** The acknowledged count. The ledger counts from it if it has deleted the row of an old lease. */
  settled: number;
  /** Calls that the lease should hold in total, spent ones included; 0 requests none. */
  want: number;
  /** Calls that must be spendable afterwards; if fewer are available, none are granted. */
  need: number;
  /** The number of the report within its lease: a delayed report is ignored. */
  seq: number;
  close: boolean;
  /** How many unspent calls may remain with an idle user when the others are returned. */
  rest: number;
};

export type LeaseState = {
  /** Calls that it holds in total, including spent ones; 0 if none could be granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired. */
  closed: boolean;
  limit: number;
  /** Calls of the period that are neither spent nor leased; negative after the limit was lowered. */
  left: number;
  /**
   * Seconds until calls held by other processes may be returned: soon if they were just recalled, otherwise when the
   * next lease may be reclaimed (0 or less: now). Null if no process holds any, if all of them are too few, or if the
   * lease has what it needs.
   */
  reclaimableIn: number | null;
};

/** A column of reports as a PostgreSQL array. Reports and states travel as columns: as rows they would be megabytes. */
export const columnOf = (
  reports: readonly LeaseReport[],
  type: 'uuid' | 'int' | 'bigint' | 'bool',
  of: (report: LeaseReport) => string | number | boolean,
): Prisma.Sql => arrayOf(type, reports.map(of));

/** Columns as JSON lists; `n` is the number of the report, from 1. */
export type StateColumns = Record<'n' | keyof LeaseState, string | null>;

/** Returns the state of each report in its place, or undefined. */
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
