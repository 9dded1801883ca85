import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';

/**
 * A PostgreSQL array of values without commas or quotes, as a subquery. A planner that sees the array's length scans
 * whole tables: 2,500 heartbeats among 100,000 leases then take 170 ms instead of 80 ms.
 */
export const arrayOf = (type: string, values: readonly (string | number | boolean)[]): Prisma.Sql =>
  Prisma.sql`(SELECT ${`{${values.join()}}`}::${Prisma.raw(type)}[])`;

/** The bytes of a hash in hex. Hashes are hex in memory, because they are keys of maps. */
export const toBytes = (hex: string) => Prisma.sql`decode(${hex}, 'hex')`;

export const toInstant = (ms: number) => Prisma.sql`${iso(ms)}::timestamptz`;
export const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** Compares addresses case-insensitively, with the same expression as the index. */
export const sqlEmailEquals = (email: string): Prisma.Sql =>
  Prisma.sql`lower(u.email COLLATE "C") = lower(${email}::text COLLATE "C")`;
