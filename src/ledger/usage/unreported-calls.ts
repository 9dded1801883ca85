import { isoDate } from '#core/clock';
import { addTotals, type Detailed, rowKey, totalsOf } from '#ledger/usage/call-details';
import type { ReportedLease } from '#ledger/usage/counts-store';

/** A lease of this process. */
export type OwnLease = Detailed & { process: string; periodStart: number; date: number; state: string };

/** Negative `calls` are subtracted. */
export type DatedCalls = { periodStart: number; date: string; keyId: number; path: number; calls: number };

/**
 * The calls of this process that the database did not report with its counts.
 * @param own the process's leases, including those that it held before it requested the counts
 */
export function unreportedCalls(own: Iterable<OwnLease>, reported: readonly ReportedLease[]): DatedCalls[] {
  const rows = new Map(reported.map((row) => [row.key, row]));
  const unreported: DatedCalls[] = [];
  for (const lease of new Set(own)) {
    const { process, periodStart, date } = lease;
    const row = rows.get(rowKey(process, periodStart, date));
    // A lease without a row was opened after the counts were read, or has been closed: then its calls are in the counts.
    if (!row && (lease.state === 'closing' || lease.state === 'closed')) continue;
    const add = (keyId: number, path: number, calls: number) =>
      unreported.push({ periodStart, date: isoDate(date), keyId, path, calls });
    addTotals(totalsOf(lease), 1, add);
    if (row) addTotals(row, -1, add);
  }
  return unreported;
}
