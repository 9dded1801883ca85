import { SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

export type LiveProcess = { id: string; address: string };

/** All times are by the database's clock, so the clocks of the processes' machines do not matter. */
export function createProcessStore(prisma: PrismaClient) {
  return {
    /** Announces a process for `forMs`, and deletes processes that ended without leaving. */
    async announce({ id, address }: LiveProcess, forMs: number): Promise<void> {
      const until = Prisma.sql`clock_timestamp() + make_interval(secs => ${forMs / SECOND}::float8)`;
      await prisma.$executeRaw`
        WITH ended AS (DELETE FROM service_process WHERE expires_at < clock_timestamp() AND id <> ${id}::uuid)
        INSERT INTO service_process (id, address, expires_at) VALUES (${id}::uuid, ${address}, ${until})
        ON CONFLICT (id) DO UPDATE SET address = excluded.address, expires_at = excluded.expires_at`;
    },

    /** The other processes that are announced. */
    others: (id: string): Promise<LiveProcess[]> =>
      prisma.$queryRaw<LiveProcess[]>`
        SELECT id::text, address FROM service_process
        WHERE expires_at > clock_timestamp() AND id <> ${id}::uuid ORDER BY id`,

    async leave(id: string): Promise<void> {
      await prisma.$executeRaw`DELETE FROM service_process WHERE id = ${id}::uuid`;
    },
  };
}

export type ProcessStore = ReturnType<typeof createProcessStore>;
