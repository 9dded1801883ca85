import { Prisma } from '#generated/prisma/client';

/**
 * SQL: the calls allowed in a period, as `bigint`: the limit of the period's row or, usually, of the user, plus the
 * period's credits. Null if the user does not exist.
 */
export const limitOf = (usage: string, userKey: string): Prisma.Sql => {
  const [own, credits] = [Prisma.raw(`${usage}."limit"`), Prisma.raw(`${usage}.credits`)];
  const ofUser = Prisma.sql`(SELECT "limit" FROM "user" WHERE key = ${Prisma.raw(userKey)})`;
  return Prisma.sql`(coalesce(${own}, ${ofUser})::bigint + coalesce(${credits}, 0))`;
};
