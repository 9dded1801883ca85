import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';

/**
 * A PostgreSQL array of values without commas and quotes, as a subquery. The planner uses the length of a visible array
 * and then scans whole tables instead of keys (with 100,000 leases: 170 ms instead of 80 ms for 2,500 heartbeats).
 */
export const arrayOf = (type: string, values: readonly (string | number | boolean)[]): Prisma.Sql =>
  Prisma.sql`(SELECT ${`{${values.join()}}`}::${Prisma.raw(type)}[])`;

export const toInstant = (ms: number) => Prisma.sql`${iso(ms)}::timestamptz`;
export const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** Case-insensitive, with the expression of the index. */
export const hasAddress = (email: string): Prisma.Sql =>
  Prisma.sql`lower(u.email COLLATE "C") = lower(${email}::text COLLATE "C")`;
