import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';

/** The key of a lease. Instants are in Unix ms; `date` is the midnight of a UTC date. */
export type LeaseKey = { process: string; userKey: number; periodStart: number; date: number };

/** Columns that a statement adds to the keys: their SQL names and types, and their values. */
type Columns<Row> = Readonly<Record<string, readonly [type: string, value: (row: Row) => string | number]>>;

/** SQL: a subquery of leases in order of user, with their numbers `n` from 1. */
export function leaseRows<Row extends LeaseKey>(rows: readonly Row[], more: Columns<Row> = {}): Prisma.Sql {
  const columns: Columns<Row> = {
    process: ['uuid', ({ process }) => process],
    user_key: ['int', ({ userKey }) => userKey],
    start_ms: ['bigint', ({ periodStart }) => periodStart],
    date_ms: ['bigint', ({ date }) => date],
    ...more,
  };
  const arrays = Object.values(columns).map(([type, value]) => arrayOf(type, rows.map(value)));
  return Prisma.sql`(
    SELECT *, to_timestamp(start_ms / 1000.0) AS period_start,
      (to_timestamp(date_ms / 1000.0) AT TIME ZONE 'UTC')::date AS date
    FROM unnest(${Prisma.join(arrays)}) WITH ORDINALITY AS r(${Prisma.raw(Object.keys(columns).join())}, n)
    ORDER BY user_key)`;
}

/**
 * SQL condition: names the users, because a cluster runs a statement on one node if all users that it names for each
 * table are in one shard. The type `numeric` keeps PostgreSQL from searching an index for the whole list once per lease.
 */
export const onlyUsers = (keys: readonly LeaseKey[], isDistributed: boolean) => (column: string) =>
  isDistributed
    ? Prisma.sql`AND ${Prisma.raw(column)} = ANY (${keys.map(({ userKey }) => userKey)}::numeric[])`
    : Prisma.empty;

/** SQL condition: the row `l` of `lease` is that of `r`. */
export const isLeaseOf = Prisma.sql`l.user_key = r.user_key AND l.process = r.process
  AND l.period_start = r.period_start AND l.date = r.date`;
