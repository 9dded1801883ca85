import { randomUUID } from 'node:crypto';
import { startOfDate } from '#core/clock';
import type { GrantRequest, NewLease } from '#ledger/statements/grant-store';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import type { TestDatabase } from '../support/database/database.ts';
import { createUser, handClock, openLeaseHolder } from './allowance-harness.ts';

/** `need`: unspent calls, of which `spent` are subtracted. `details`: key, path and calls in turn. */
type Given = Partial<GrantRequest & NewLease> & { spent?: number; details?: string };

/** Creates a user with 100 calls whose period starts at an instant. Returns the ledger, and statements for its leases. */
export async function openLedgerUser(
  database: Pick<TestDatabase, 'prisma' | 'query' | 'execute' | 'isDistributed'>,
  at: number,
) {
  const ledger = createLedgerStore(database);
  const holder = openLeaseHolder(database, handClock(at));
  const { key } = await createUser(database, holder, { limit: 100, at });
  await holder.close();
  let statements = 0;

  const lease = (process: string) => ({ process, userKey: key, periodStart: at, date: startOfDate(at) });
  /** A request that changes nothing. `given` overrides members. */
  const request = (process: string, { spent = 0, want = 0, need = 0, ...given }: Given) => ({
    ...{ ...lease(process), keyId: 1, path: 1, ...given },
    want,
    need: need && spent + need,
  });

  return {
    ledger,
    key,
    lease,
    request,

    /** Starts a process that the database knows. Returns its ID. */
    async startProcess(): Promise<string> {
      const id = randomUUID();
      await ledger.live(id, undefined);
      return id;
    },

    /** Requests calls for one lease, which is stored if it has no row. Returns its state. */
    async grant(process: string, given: Given) {
      const requests = [request(process, given)];
      const [state] = await ledger.grant(requests);
      if (state) return state;
      await ledger.open(requests, ++statements);
      return (await ledger.grant(requests))[0];
    },

    /** Reports the total of spent calls of one lease. Returns whether it was recorded. */
    async report(
      process: string,
      spent: number,
      { number = ++statements, ...given }: Given & { number?: number } = {},
    ) {
      const reports = [{ ...lease(process), details: '', ...given, spent }];
      return (await ledger.report(reports, number)) === 1;
    },

    close: (process: string, given: Given = {}): Promise<void> => ledger.close([{ ...lease(process), ...given }]),

    /** Returns the unspent calls of dead processes, and closes the leases of those that have been dead for a day. */
    async sweep(): Promise<void> {
      for (const { isOld, ...swept } of await ledger.sweep(key)) {
        if (isOld) await ledger.close([swept]);
        else await ledger.grant([{ ...swept, want: 0, need: 0 }]);
      }
    },
  };
}

export type LedgerUser = Awaited<ReturnType<typeof openLedgerUser>>;
