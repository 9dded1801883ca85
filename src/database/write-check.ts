import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '#generated/prisma/client';

/**
 * Finds out whether the database can be written to: one transaction, durable like any other, inserts a row and deletes
 * it again. Rejects with what the database said.
 */
export async function checkWrite(prisma: PrismaClient): Promise<void> {
  const what = `check:${randomUUID()}`;
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO refresh (what) VALUES (${what})`,
    prisma.$executeRaw`DELETE FROM refresh WHERE what = ${what}`,
  ]);
}
