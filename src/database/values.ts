import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';

/**
 * A PostgreSQL array of values without commas and quotes, as a subquery: of an array that it sees, the planner takes the
 * length, and for hundreds of rows it reads whole tables where their keys would do (with a hundred thousand leases that
 * was 170 ms for 2,500 heartbeats in place of 80).
 */
export const arrayOf = (type: string, values: readonly (string | number | boolean)[]): Prisma.Sql =>
  Prisma.sql`(SELECT ${`{${values.join()}}`}::${Prisma.raw(type)}[])`;

export const toInstant = (ms: number) => Prisma.sql`${iso(ms)}::timestamptz`;
export const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** Whether a user `u` has an address, whatever its upper and lower case: in the words of the index. */
export const hasAddress = (email: string): Prisma.Sql =>
  Prisma.sql`lower(u.email COLLATE "C") = lower(${email}::text COLLATE "C")`;
