import { randomUUID } from 'node:crypto';
import { SECOND } from '#domain/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** However many ask, the database is asked no more often than this, in ms. */
const APART = SECOND;

/**
 * Finds out whether the database can be written to: a row is written and taken away again in one transaction, which
 * is durable like any other and leaves none behind. One check is under way at a time, and its outcome is everybody's
 * for a second. Rejects with what the database said.
 */
export function createWriteCheck(prisma: PrismaClient) {
  let last: Promise<void> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const what = `check:${randomUUID()}`;
    try {
      await prisma.$transaction([
        prisma.$executeRaw`INSERT INTO refresh (what) VALUES (${what})`,
        prisma.$executeRaw`DELETE FROM refresh WHERE what = ${what}`,
      ]);
    } finally {
      dueAt = performance.now() + APART;
    }
  }

  return function check(): Promise<void> {
    if (last === undefined || performance.now() >= dueAt) {
      dueAt = Number.POSITIVE_INFINITY;
      last = write();
    }
    return last;
  };
}
