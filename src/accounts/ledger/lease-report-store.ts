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
  /**
   * The spent calls that the ledger has acknowledged. It counts from this number if it has deleted an old lease's row.
   */
  settled: number;
  /** Calls that the lease should hold in total, spent ones included; 0 requests none. */
  want: number;
  /** Calls that must be spendable afterwards; if fewer are available, none are granted. */
  need: number;
  /** The report's number within its lease. It identifies delayed reports, which are ignored. */
  seq: number;
  close: boolean;
  /** How many unspent calls may remain with an idle user when the others are returned. */
  rest: number;
};

export type LeaseState = {
  /** Calls that the lease holds in total, including spent ones; 0 if none could be granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired. */
  closed: boolean;
  limit: number;
  /** Calls of the period that are neither spent nor leased; negative after the limit was lowered. */
  left: number;
  /**
   * Seconds until calls held by other processes may be returned: soon if they were just recalled, otherwise when the
   * next lease may be reclaimed (0 or less: now). Null if no other process holds any calls, if all of these calls are
   * too few, or if the lease has what it needs.
   */
  reclaimableIn: number | null;
};

/**
 * A column of reports as a PostgreSQL array. Reports and states are sent as columns: as rows, they would take
 * megabytes.
 */
export const columnOf = (
  reports: readonly LeaseReport[],
  type: 'uuid' | 'int' | 'bigint' | 'bool',
  of: (report: LeaseReport) => string | number | boolean,
): Prisma.Sql => arrayOf(type, reports.map(of));

/** Columns as JSON lists; `n` contains the numbers of the reports, starting at 1. */
export type StateColumns = Record<'n' | keyof LeaseState, string | null>;

/** Returns the states in the order of the reports; undefined for a report without a state. */
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
