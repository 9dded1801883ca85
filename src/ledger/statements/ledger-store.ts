import { traced } from '#core/tracing';
import type { Database } from '#database/database';
import { Prisma } from '#generated/prisma/client';
import { createCountsStatement } from '#ledger/usage/counts-store';
import { closings } from './close-store.ts';
import { type GrantRequest, type GrantState, grants, type NewLease, openings } from './grant-store.ts';
import type { LeaseKey } from './lease-rows-store.ts';
import { createProcessStore } from './process-store.ts';
import { type LeaseReport, reports } from './report-store.ts';

/** @param counted called for each statement that grants, reports or closes leases */
export function createLedgerStore(
  { prisma, query, execute, isDistributed }: Pick<Database, 'prisma' | 'query' | 'execute' | 'isDistributed'>,
  counted: () => void = () => undefined,
) {
  function counting<Result>(name: string, leases: number, statement: () => Promise<Result>): Promise<Result> {
    counted();
    return traced(`ledger ${name}`, { 'quotient.leases': leases }, statement);
  }

  return {
    ...createCountsStatement(prisma),
    ...createProcessStore({ query }),
    /** In a cluster, the users of a statement have the same shard. */
    isDistributed,

    /** Stores leases without calls. `report`: the number of the last report. */
    async open(leases: readonly NewLease[], report: number): Promise<void> {
      for (const one of openings(leases, report, isDistributed))
        await counting('open', leases.length, () => query(one));
    },

    /** Returns the states in the order of the requests: undefined for a lease without a row. */
    async grant(requests: readonly GrantRequest[]): Promise<(GrantState | undefined)[]> {
      const rows = await counting('grant', requests.length, () => query<GrantState>(grants(requests, isDistributed)));
      const stateOf = new Map(rows.map((row) => [row.n, row]));
      return requests.map((_, i) => stateOf.get(i + 1));
    },

    /** Returns the number of recorded reports: fewer than given if leases have no row. */
    report: (leases: readonly LeaseReport[], number: number): Promise<number> =>
      counting('report', leases.length, () => execute(reports(leases, number, isDistributed))),

    /** Closes leases, at most one of each user. */
    async close(leases: readonly LeaseKey[]): Promise<void> {
      for (const statement of closings(leases, isDistributed))
        await counting('close', leases.length, () => query(statement));
    },

    /** The numbers of the shards that have the users' rows, in the order of the users: 0 if the table is on one server. */
    async shardsOf(userKeys: readonly number[]): Promise<number[]> {
      if (!isDistributed) return userKeys.map(() => 0);
      const rows = await query<{ shard: number }>(Prisma.sql`
        SELECT CASE WHEN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'lease'::regclass)
          THEN get_shard_id_for_distribution_column('lease', u)::int ELSE 0 END AS shard
        FROM unnest(${userKeys}::int[]) WITH ORDINALITY AS r(u, n) ORDER BY n`);
      return rows.map(({ shard }) => shard);
    },

    /** Marks users as changed. At its next poll, each process returns the unspent calls that it holds for them. */
    async recall(userKeys: readonly number[]): Promise<void> {
      await query(Prisma.sql`
        UPDATE "user" SET changed_at = (SELECT clock_timestamp()) WHERE key = ANY (${userKeys}::int[])`);
    },

    /** Counts the lease rows of all processes, by whether their process has expired. */
    async leaseRows(): Promise<LeaseRows> {
      const [row] = await prisma.$queryRaw<[LeaseRows]>`
        SELECT (count(*) FILTER (WHERE NOT is_swept))::int AS open, (count(*) FILTER (WHERE is_swept))::int AS swept
        FROM (SELECT process = ANY (ARRAY(SELECT id FROM process WHERE swept_at IS NOT NULL)) AS is_swept FROM lease) l`;
      return row;
    },
  };
}

export type LedgerStore = ReturnType<typeof createLedgerStore>;
export type LeaseRows = { open: number; swept: number };
