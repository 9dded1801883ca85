import type { PrismaClient } from '#generated/prisma/client';

export type LiveProcess = { id: string; address: string };

/** The ledger writes the rows of processes. */
export const createProcessStore = (prisma: PrismaClient) => ({
  /** The other processes that have an address and are running, according to the database's clock. */
  others: (id: string): Promise<LiveProcess[]> =>
    prisma.$queryRaw<LiveProcess[]>`
      SELECT id::text, address FROM process
      WHERE expires_at > clock_timestamp() AND id <> ${id}::uuid AND address IS NOT NULL ORDER BY id`,
});

export type ProcessStore = ReturnType<typeof createProcessStore>;
