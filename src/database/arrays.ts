import { Prisma } from '#generated/prisma/client';

/**
 * A PostgreSQL array of values without commas and quotes, as a subquery: of an array that it sees, the planner takes the
 * length, and for hundreds of rows it reads whole tables where their keys would do (with a hundred thousand leases that
 * was 170 ms for 2,500 heartbeats in place of 80).
 */
export const arrayOf = (type: string, values: readonly (string | number | boolean)[]): Prisma.Sql =>
  Prisma.sql`(SELECT ${`{${values.join()}}`}::${Prisma.raw(type)}[])`;
