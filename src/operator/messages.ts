import { z } from 'zod';
import type { Operator } from '#core/actor';
import { iso, isoOrNull } from '#core/clock';
import type { Message, Messages as Undelivered } from '#notifications/messages';
import type { MessageRecord } from './operator-records.ts';
import { cursorInstant, cutPage, type PageQuery, readCursor } from './parameters.ts';

const messageCursor = z.tuple([cursorInstant, z.uuid()]).transform(([createdAt, id]) => ({ createdAt, id }));

const toRecord = ({ userKey, hasRecipient, createdAt, dueAt, ...message }: Message): MessageRecord => ({
  ...message,
  user: userKey,
  isRetryable: hasRecipient,
  createdAt: iso(createdAt.getTime()),
  nextAttemptAt: isoOrNull(dueAt?.getTime() ?? null),
});

export const createMessageList = (messages: Undelivered) => ({
  async list({ cursor, limit }: PageQuery) {
    const found = await messages.list(readCursor(cursor, messageCursor), limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ createdAt, id }) => [createdAt.getTime(), id]);
    return { items: page.map(toRecord), nextCursor };
  },

  retry: async (operator: Operator, id: string): Promise<MessageRecord> => toRecord(await messages.retry(operator, id)),
});
