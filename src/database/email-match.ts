import { Prisma } from '#generated/prisma/client';

/** Whether a user `u` has an address, whatever its upper and lower case: in the words of the index. */
export const hasAddress = (email: string): Prisma.Sql =>
  Prisma.sql`lower(u.email COLLATE "C") = lower(${email}::text COLLATE "C")`;
