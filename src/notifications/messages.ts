import type { Operator } from '#core/operator';
import { Problem } from '#core/problems';
import type { MessagePlace, MessageStore, StoredMessage } from './message-store.ts';
import { NOTICE_WEBHOOK } from './notices/notice.ts';
import { WEBHOOK_DELIVERY } from './webhooks/delivery-store.ts';

/** Instants in Unix ms. */
export type Message = Omit<StoredMessage, 'createdAt' | 'dueAt'> & {
  channel: 'mail' | 'webhook';
  /** `failed` messages will be attempted again, `given_up` ones will not. */
  state: 'waiting' | 'failed' | 'given_up';
  createdAt: number;
  dueAt: number | null;
};

const stateOf = ({ dueAt, lastError }: StoredMessage): Message['state'] =>
  dueAt === null ? 'given_up' : lastError === null ? 'waiting' : 'failed';

const toMessage = (stored: StoredMessage): Message => ({
  ...stored,
  channel: [NOTICE_WEBHOOK, WEBHOOK_DELIVERY].includes(stored.kind) ? 'webhook' : 'mail',
  state: stateOf(stored),
  createdAt: stored.createdAt.getTime(),
  dueAt: stored.dueAt?.getTime() ?? null,
});

type Dependencies = {
  store: MessageStore;
  /** Sends due messages now; undefined if mail is not configured. */
  wake: (() => void) | undefined;
};

/** The operator's view of undelivered messages. */
export function createMessages({ store, wake }: Dependencies) {
  return {
    /** Returns up to `most` messages before a place, newest first. */
    async list(after: MessagePlace | undefined, most: number): Promise<Message[]> {
      return (await store.list(after, most)).map(toMessage);
    },

    /** Throws `mail_not_configured`, `not_found` and `message_not_retryable`. */
    async retry(operator: Operator, id: string): Promise<Message> {
      if (!wake) throw new Problem('mail_not_configured', 'This service does not send messages: SMTP_URL is not set.');
      const isDue = await store.retry(operator, id);
      const message = await store.find(id);
      if (!message) throw new Problem('not_found', 'There is no undelivered message with this ID.');
      if (!isDue) {
        const detail = 'The message was given up, and the address was removed. The user can request another email.';
        throw new Problem('message_not_retryable', detail);
      }
      wake();
      return toMessage(message);
    },
  };
}

export type Messages = ReturnType<typeof createMessages>;
