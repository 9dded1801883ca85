import type { Operator } from '#core/actor';
import { iso } from '#core/clock';
import { audit, jsonOf } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

/** `until` in Unix ms. */
export type Announcement = { text: string; until: number };

export function createAnnouncementStore(prisma: PrismaClient) {
  return {
    async read(): Promise<Announcement | undefined> {
      const row = await prisma.announcement.findFirst();
      return row ? { text: row.text, until: row.until.getTime() } : undefined;
    },

    /** Replaces or removes the announcement, and makes all processes read it. */
    async set(operator: Operator, next: Announcement | undefined): Promise<void> {
      const change = next
        ? Prisma.sql`
          INSERT INTO announcement (id, text, until) VALUES (1, ${next.text}, ${toInstant(next.until)})
          ON CONFLICT (id) DO UPDATE SET text = excluded.text, until = excluded.until
          RETURNING id`
        : Prisma.sql`DELETE FROM announcement RETURNING id`;
      await prisma.$queryRaw`
        WITH old AS MATERIALIZED (
          SELECT jsonb_build_object('text', text, 'until',
            to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS before
          FROM announcement WHERE id = 1 FOR UPDATE),
        changed AS (${change}),
        ${audit(operator, {
          action: 'announcement.set',
          target: 'announcement',
          before: Prisma.sql`(SELECT before FROM old)`,
          ...(next && { after: jsonOf({ text: next.text, until: iso(next.until) }) }),
        })}
        bumped AS (${bumpVersion('announcement')} RETURNING version)
        SELECT version FROM bumped`;
    },
  };
}

export type AnnouncementStore = ReturnType<typeof createAnnouncementStore>;
