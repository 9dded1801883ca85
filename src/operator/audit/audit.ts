import { z } from 'zod';
import { iso } from '#core/clock';
import type { AuditRecord } from '#operator/operator-records';
import { cursorInstant, cutPage, type PageQuery, readCursor } from '#operator/parameters';
import type { AuditCursor, AuditFilter, AuditStore, StoredEvent } from './audit-store.ts';

/** Events per statement of a stream. */
const BATCH = 500;
const auditCursor = z.tuple([cursorInstant, z.int()]).transform(([at, id]) => ({ at, id }));

const toRecord = ({ at, ...event }: StoredEvent): AuditRecord => ({ ...event, at: iso(at.getTime()) });

export function createAuditLog(store: AuditStore) {
  async function* events(filter: AuditFilter, limit = Number.POSITIVE_INFINITY): AsyncGenerator<AuditRecord> {
    let left = limit;
    for (let after: AuditCursor | undefined; left > 0; ) {
      const batch = await store.list(filter, after, Math.min(BATCH, left));
      yield* batch.map(toRecord);
      left -= batch.length;
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) return;
      after = { at: last.at.getTime(), id: last.id };
    }
  }

  return {
    async page({ cursor, limit, ...filter }: AuditFilter & PageQuery) {
      const found = await store.list(filter, readCursor(cursor, auditCursor), limit + 1);
      const { page, nextCursor } = cutPage(found, limit, ({ at, id }) => [at.getTime(), id]);
      return { items: page.map(toRecord), nextCursor };
    },

    events,

    async *lines(filter: AuditFilter): AsyncGenerator<string> {
      for await (const event of events(filter)) yield `${JSON.stringify(event)}\n`;
    },
  };
}

export type AuditLog = ReturnType<typeof createAuditLog>;
