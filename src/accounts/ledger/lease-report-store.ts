import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';

/** The place of a lease in a group, and the number of the group's last report. */
export type ReportedPlace = { group: string; slot: number; seq: number };

/** A report of all leases of a group. The totals of spent calls are in the order of their slots. */
export type GroupReport = {
  id: string;
  seq: number;
  spent: readonly number[];
  /** See `detailText`; undefined if no lease has details. */
  details?: readonly string[] | undefined;
};

/** Every figure is a total, so a repeated report does not count twice. */
export type LeaseReport = {
  id: string;
  userKey: number;
  periodStart: number;
  /** The UTC date of the calls, as its midnight in Unix ms. */
  date: number;
  spent: number;
  /** Acknowledged spent calls. If the ledger has deleted the lease's row, it counts from this number. */
  settled: number;
  /** The total number of calls that the lease should hold, including spent calls; 0 requests none. */
  want: number;
  /** The minimum number of unspent calls after the grant. If fewer are available, none are granted. */
  need: number;
  /** The report's number within its lease. The ledger ignores delayed reports, which have lower numbers. */
  seq: number;
  close: boolean;
  /** The number of unspent calls that an idle user's lease may keep. */
  rest: number;
  /** Where the lease's calls are reported until the next settlement; null for a lease that ends or has ended. */
  place: ReportedPlace | null;
  /** The key and the path of the lease's first call; undefined for a report without a lease. */
  keyId?: number;
  path?: number;
  /** The lease's other keys and paths, as `detailText` writes them. */
  details?: string;
};

export type LeaseState = {
  /** The total number of calls that the lease holds, including spent calls; 0 if none were granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired. */
  closed: boolean;
  limit: number;
  /** Calls of the period that are neither spent nor leased. Negative if the limit was lowered below that number. */
  left: number;
  /**
   * Seconds until other processes may have returned calls. Short if their calls were just recalled; otherwise, the time
   * until the next lease may be reclaimed (0 or less means now). Null if other processes hold too few calls, or if the
   * lease has what it needs.
   */
  reclaimableIn: number | null;
};

/** Converts a column of reports to a PostgreSQL array. As rows, reports and states would take megabytes. */
export const columnOf = (
  reports: readonly LeaseReport[],
  type: 'uuid' | 'int' | 'bigint' | 'bool' | 'text',
  of: (report: LeaseReport) => string | number | boolean | undefined,
): Prisma.Sql =>
  arrayOf(
    type,
    reports.map((report) => of(report) ?? 'NULL'),
  );

/** The columns of the leases' places: group, number of its last report, slot. */
export const placesOf = (reports: readonly LeaseReport[]): Prisma.Sql => Prisma.sql`
  ${columnOf(reports, 'uuid', ({ place }) => place?.group)}, ${columnOf(reports, 'int', ({ place }) => place?.seq)},
  ${columnOf(reports, 'int', ({ place }) => place?.slot)}`;

/** The columns of the leases' details: key and path of the first call, other details. */
export const detailsOf = (reports: readonly LeaseReport[]): Prisma.Sql => Prisma.sql`
  ${columnOf(reports, 'int', ({ keyId }) => keyId)}, ${columnOf(reports, 'int', ({ path }) => path)},
  ${columnOf(reports, 'text', ({ details }) => details || undefined)}`;

/** Columns as JSON lists. `n` contains the numbers of the reports, starting at 1. */
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
