import { randomUUID } from 'node:crypto';
import { createLedgerStore, type LeaseReport } from '#accounts/ledger/ledger-store';
import { startOfDate } from '#core/clock';
import type { TestDatabase } from '../../support/database/database.ts';
import { createUser, handClock, openLeaseHolder } from './allowance-harness.ts';

/**
 * Creates a user with 100 calls whose period starts at an instant. Returns the ledger, a group of leases, and a
 * builder for lease reports.
 */
export async function openLedgerUser(database: Pick<TestDatabase, 'prisma' | 'query'>, at: number) {
  const ledger = createLedgerStore(database);
  const holder = openLeaseHolder(database, handClock(at));
  const { key } = await createUser(database, holder, { limit: 100, at });
  await holder.close();

  const group = randomUUID();
  return {
    ledger,
    group,
    /** The place of a lease in `group`, at the time of the group's report `seq`. */
    place: (slot: number, seq = 0) => ({ group, slot, seq }),
    /** Reports the spent calls of `group`. Returns whether the group is open. */
    async heartbeat(seq: number, ...spent: readonly number[]): Promise<boolean> {
      return (await ledger.heartbeat([{ id: group, seq, spent }])).has(0);
    },
    key,
    /** A first report of an empty lease that requests no calls. `given` overrides members. */
    report(id: string, given: Partial<LeaseReport>): LeaseReport {
      const nothing = { spent: 0, settled: 0, want: 0, need: 0, seq: 1, close: false, rest: 0, place: null };
      return { id, userKey: key, periodStart: at, date: startOfDate(at), ...nothing, ...given };
    },
  };
}

export type LedgerUser = Awaited<ReturnType<typeof openLedgerUser>>;
