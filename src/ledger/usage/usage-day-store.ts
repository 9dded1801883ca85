import { isoDate } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Users whose rows are counted at once, and the number of rows at which a batch ends. */
const USERS = 2000;
const ROWS = 5000;

/** The users of the next batch: those at the start of the list, until they have enough rows. */
function takeBatch(due: { key: number; rows: number }[]): number[] {
  let rows = 0;
  const end = due.findIndex((user) => {
    rows += user.rows;
    return rows >= ROWS;
  });
  return due.splice(0, end < 0 ? due.length : end + 1).map(({ key }) => key);
}

/**
 * Deletes the rows before a date (its start in Unix ms), with the calls by key and path of the same users and dates.
 * Yields the number of deleted rows of each batch. Batches follow the primary key, user by user. An index on the date
 * would add a write to each settlement, and building it would block the ledger for minutes on a table of several
 * gigabytes. A batch deletes all old rows of a user, so it exceeds `ROWS` by at most one user's rows. Settlements write
 * recent dates only, so the batch locks none of their rows. Each statement changes one table, because a cluster rejects
 * other statements.
 */
export async function* deleteUsageBefore(prisma: PrismaClient, date: number): AsyncGenerator<number> {
  const before = isoDate(date);
  for (let after = 0; ; ) {
    const page = await prisma.user.findMany({
      where: { key: { gt: after } },
      select: { key: true },
      orderBy: { key: 'asc' },
      take: USERS,
    });
    const last = page.at(-1);
    if (!last) return;
    after = last.key;
    const due = await prisma.$queryRaw<{ key: number; rows: number }[]>`
        SELECT user_key AS key, count(*)::int AS rows FROM usage_day
        WHERE user_key = ANY (${page.map(({ key }) => key)}::int[]) AND date < ${before}::date GROUP BY 1 ORDER BY 1`;
    do {
      const userKeys = takeBatch(due);
      await prisma.$executeRaw`
          DELETE FROM usage_detail WHERE user_key = ANY (${userKeys}::int[]) AND date < ${before}::date`;
      yield await prisma.$executeRaw`
          DELETE FROM usage_day WHERE user_key = ANY (${userKeys}::int[]) AND date < ${before}::date`;
    } while (due.length > 0);
  }
}
