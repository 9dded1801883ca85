export type UsageBy = 'key' | 'path';

/** Calls of one key on one path. `text` is the beginning of the detail in a report, which is written every second. */
export type Detail = { readonly keyId: number; readonly path: number; readonly text: string; calls: number };

/**
 * A lease's spent calls by key and path. All calls that are not in `others` belong to the key and the path of the first
 * call. The details therefore always add up to `spent`, and most leases need no further details.
 */
export type Detailed = { readonly keyId: number; readonly path: number; spent: number; readonly others: Detail[] };

/** Identifies the row of a user's lease. Instants are in Unix ms. */
export const rowKey = (process: string, periodStart: number, date: number): string =>
  `${process} ${periodStart} ${date}`;

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

/** Calls of a lease as one row of the database reports them. `details` contains key, path and calls in turn. */
export type Totals = { keyId: number; path: number; spent: number; details: readonly number[] | null };

export const totalsOf = ({ keyId, path, spent, others }: Detailed): Totals => ({
  keyId,
  path,
  spent,
  details: others.flatMap((detail) => [detail.keyId, detail.path, detail.calls]),
});

/** Adds calls by key and path, `sign` times. */
export function addTotals(
  { keyId, path, spent, details }: Totals,
  sign: number,
  add: (keyId: number, path: number, calls: number) => void,
): void {
  const all = details ?? [];
  let rest = spent;
  for (let i = 0; i < all.length; i += 3) {
    const [key = 0, on = 0, calls = 0] = all.slice(i, i + 3);
    add(key, on, sign * calls);
    rest -= calls;
  }
  add(keyId, path, sign * rest);
}
