import type { AuditAction } from '#core/actor';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** Instants in Unix ms. */
export type AuditFilter = {
  actor?: string | undefined;
  action?: AuditAction | undefined;
  user?: number | undefined;
  from?: number | undefined;
  until?: number | undefined;
};

export type StoredEvent = {
  id: number;
  at: Date;
  actor: string;
  action: AuditAction;
  target: string;
  user: number | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  requestId: string | null;
};

export type AuditCursor = { at: number; id: number };

/** Only reads events. The statements of the changes add the events, and no code changes or deletes them. */
export function createAuditStore(prisma: PrismaClient) {
  return {
    async list(
      { actor, action, user, from, until }: AuditFilter,
      after: AuditCursor | undefined,
      limit: number,
    ): Promise<StoredEvent[]> {
      const conditions = [
        Prisma.sql`true`,
        ...(actor === undefined ? [] : [Prisma.sql`actor = ${actor}`]),
        ...(action === undefined ? [] : [Prisma.sql`action = ${action}`]),
        ...(user === undefined ? [] : [Prisma.sql`user_key = ${user}::int`]),
        ...(from === undefined ? [] : [Prisma.sql`at >= ${toInstant(from)}`]),
        ...(until === undefined ? [] : [Prisma.sql`at < ${toInstant(until)}`]),
        ...(after === undefined ? [] : [Prisma.sql`(at, id) < (${toInstant(after.at)}, ${after.id}::bigint)`]),
      ];
      return prisma.$queryRaw<StoredEvent[]>`
        SELECT id::float8 AS id, at, actor, action, target, user_key AS "user", before, after, request_id AS "requestId"
        FROM audit_event WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY at DESC, id DESC LIMIT ${limit}::int`;
    },
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;
