import { Prisma } from '#generated/prisma/client';

/**
 * SQL: the calls allowed in a period, as `bigint`: the limit of the period's row `usage` or, usually, of the user, plus
 * the period's credits. Null if the user does not exist.
 */
export const limitOf = (usage: string, user: string): Prisma.Sql =>
  Prisma.raw(`(CASE WHEN ${user}.key IS NOT NULL THEN coalesce(${usage}."limit", ${user}."limit")::bigint
    + coalesce(${usage}.credits, 0) END)`);
