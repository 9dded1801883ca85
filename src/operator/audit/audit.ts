import { z } from 'zod';
import { iso } from '#core/clock';
import { instantInPlace, readCursor, writeCursor } from '#operator/parameters';
import type { AuditRecord } from '#operator/records';
import type { AuditFilter, AuditPlace, AuditStore, StoredEvent } from './audit-store.ts';

/** Events per statement of a stream. */
const BATCH = 500;
const place = z.tuple([instantInPlace, z.int()]);

const toRecord = ({ at, ...event }: StoredEvent): AuditRecord => ({ ...event, at: iso(at.getTime()) });
const placeOf = ({ at, id }: StoredEvent): AuditPlace => ({ at: at.getTime(), id });

export function createAuditLog({ store }: { store: AuditStore }) {
  /** Up to `most` matching events, newest first, in batches. */
  async function* events(filter: AuditFilter, most = Number.POSITIVE_INFINITY): AsyncGenerator<AuditRecord> {
    let left = most;
    for (let after: AuditPlace | undefined; left > 0; ) {
      const batch = await store.list(filter, after, Math.min(BATCH, left));
      yield* batch.map(toRecord);
      left -= batch.length;
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) return;
      after = placeOf(last);
    }
  }

  return {
    async page({ cursor, limit, ...filter }: AuditFilter & { cursor?: string | undefined; limit: number }) {
      const [at = 0, id = 0] = readCursor(cursor, place) ?? [];
      const found = await store.list(filter, cursor === undefined ? undefined : { at, id }, limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const next = found.length > limit && last ? placeOf(last) : undefined;
      return { items: page.map(toRecord), nextCursor: next ? writeCursor([next.at, next.id]) : null };
    },

    events,

    /** All matching events, newest first, as lines of JSON. */
    async *lines(filter: AuditFilter): AsyncGenerator<string> {
      for await (const event of events(filter)) yield `${JSON.stringify(event)}\n`;
    },
  };
}

export type AuditLog = ReturnType<typeof createAuditLog>;
