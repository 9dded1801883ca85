import { randomUUID } from 'node:crypto';
import { type Clock, SECOND } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** How often a file is written even if no write has failed, in ms. */
const FILE_INTERVAL = 10 * SECOND;
/** PostgreSQL's codes of a write that the disk has rejected. */
const DISK = new Set(['53100', '58030']);
/** The number of rows that fill about a megabyte. */
const ROWS = 50_000;

/** Runs a durable transaction. Its row usually fits into an existing page, so it succeeds even if the disk is full. */
async function writeRow(prisma: PrismaClient): Promise<void> {
  const resource = `check:${randomUUID()}`;
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO refresh (resource) VALUES (${resource})`,
    prisma.$executeRaw`DELETE FROM refresh WHERE resource = ${resource}`,
  ]);
}

/**
 * Makes PostgreSQL write a temporary file, which requires no privilege. The write-ahead log needs no check, because
 * PostgreSQL ends if it cannot write the log.
 */
async function writeFile(prisma: PrismaClient): Promise<void> {
  await prisma.$transaction([
    prisma.$executeRaw`SET LOCAL work_mem = '64kB'`,
    prisma.$executeRaw`SET LOCAL temp_tablespaces = ''`,
    prisma.$queryRaw`SELECT count(*) FROM generate_series(1, ${ROWS}::int)`,
  ]);
}

/** Checks whether the database is writable. After a rejection by the disk, fails until a file can be written. */
export function createWriteCheck(prisma: PrismaClient, clock: Clock) {
  let isDiskInDoubt = false;
  let writtenAt = clock.elapsed();

  return {
    observe(code: string | undefined): void {
      if (code !== undefined && DISK.has(code)) isDiskInDoubt = true;
    },

    async check(): Promise<void> {
      await writeRow(prisma);
      if (!isDiskInDoubt && clock.elapsed() - writtenAt < FILE_INTERVAL) return;
      await writeFile(prisma);
      isDiskInDoubt = false;
      writtenAt = clock.elapsed();
    },
  };
}
