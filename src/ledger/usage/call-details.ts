export type UsageBy = 'key' | 'path';

/** Calls of one key on one path. `text` is the beginning of the detail in a report, which is written every second. */
export type Detail = { readonly keyId: number; readonly path: number; readonly text: string; calls: number };

/**
 * A lease's spent calls by key and path. The key and the path of the first call have all calls that are not in `others`,
 * so the details always add up to `spent`, and most leases need no further details.
 */
export type Detailed = {
  readonly keyId: number;
  readonly path: number;
  spent: number;
  readonly others: Detail[];
};

/** A lease with more details is ended, so that a user with many short-lived keys does not slow calls down. */
export const MAX_DETAILS = 200;

/** The detail that counts a call; undefined for the key and path of the lease's first call. */
export function detailOf({ keyId, path, others }: Detailed, ofKey: number, onPath: number): Detail | undefined {
  if (ofKey === keyId && onPath === path) return undefined;
  for (const detail of others) if (detail.keyId === ofKey && detail.path === onPath) return detail;
  const detail = { keyId: ofKey, path: onPath, text: `${ofKey} ${onPath} `, calls: 0 };
  others.push(detail);
  return detail;
}

/** The totals of `others`, as the database stores them: key, path and calls of each detail, separated by spaces. */
export function detailText({ others }: Detailed): string {
  let all = '';
  for (const { text, calls } of others) all += all === '' ? text + calls : ` ${text}${calls}`;
  return all;
}

/** The calls of a lease as its row contains them. Instants are in Unix ms. `details`: key, path and calls in turn. */
export type LeaseCalls = {
  process: string;
  periodStart: number;
  date: number;
  keyId: number;
  path: number;
  spent: number;
  details: readonly number[] | null;
};

/** Identifies the row of a user's lease. */
const rowKey = ({ process, periodStart, date }: LeaseCalls): string => `${process} ${periodStart} ${date}`;

/** A lease of this process. */
export type OwnLease = Detailed & {
  readonly process: string;
  readonly period: { readonly start: number };
  readonly date: number;
  readonly state: string;
};

export const callsOf = ({ process, period, date, keyId, path, spent, others }: OwnLease): LeaseCalls => ({
  process,
  periodStart: period.start,
  date,
  keyId,
  path,
  spent,
  details: others.flatMap((detail) => [detail.keyId, detail.path, detail.calls]),
});

/** Calls `add` with the calls of each key on each path. */
export function addCalls(
  { keyId, path, spent, details }: LeaseCalls,
  add: (keyId: number, path: number, calls: number) => void,
): void {
  const all = details ?? [];
  let rest = spent;
  for (let i = 0; i + 2 < all.length; i += 3) {
    const [key, on, calls] = [all[i], all[i + 1], all[i + 2]] as [number, number, number];
    add(key, on, calls);
    rest -= calls;
  }
  add(keyId, path, rest);
}

/**
 * Prepares a reading of leases from the database. The returned function replaces the rows of this process's leases by
 * the calls in memory, some of which are not reported yet. A lease without a row was opened after the reading. If it had
 * a row before the reading, it has been closed, and its calls are in `usage_day`.
 * @param ofUser the user's leases in this process
 */
export function withOwnLeases(ofUser: () => readonly OwnLease[]) {
  const before = ofUser();
  const stored = new Set(before.filter(({ state }) => state !== 'new'));
  return (rows: readonly LeaseCalls[]): LeaseCalls[] => {
    const all = new Map(rows.map((row) => [rowKey(row), row]));
    for (const lease of new Set([...before, ...ofUser()])) {
      const calls = callsOf(lease);
      if (all.has(rowKey(calls)) || !stored.has(lease)) all.set(rowKey(calls), calls);
    }
    return [...all.values()];
  };
}
