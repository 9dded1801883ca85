import { z } from 'zod';
import { iso, isoOrNull } from '#core/clock';
import type { Operator } from '#core/operator';
import type { Message, Messages as Undelivered } from '#notifications/messages';
import { instantInPlace, readCursor, writeCursor } from './parameters.ts';
import type { MessageRecord } from './records.ts';

const place = z.tuple([instantInPlace, z.uuid()]);

const toRecord = ({ id, kind, channel, userKey, state, hasRecipient, ...rest }: Message): MessageRecord => ({
  ...{ id, kind, channel, user: userKey, state, isRetryable: hasRecipient },
  createdAt: iso(rest.createdAt),
  attempts: rest.attempts,
  nextAttemptAt: isoOrNull(rest.dueAt),
  lastError: rest.lastError,
});

export function createMessageList({ messages }: { messages: Undelivered }) {
  return {
    async list({ cursor, limit }: { cursor?: string | undefined; limit: number }) {
      const [createdAt = 0, id = ''] = readCursor(cursor, place) ?? [];
      const found = await messages.list(cursor === undefined ? undefined : { createdAt, id }, limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = found.length > limit && last ? writeCursor([last.createdAt, last.id]) : null;
      return { items: page.map(toRecord), nextCursor };
    },

    retry: async (operator: Operator, id: string): Promise<MessageRecord> =>
      toRecord(await messages.retry(operator, id)),
  };
}

export type Messages = ReturnType<typeof createMessageList>;
