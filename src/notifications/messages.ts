import type { Operator } from '#core/actor';
import { Problem } from '#core/problems';
import { CHANNELS, channelOfKind } from './channels/channels.ts';
import { mailChannel } from './channels/mail/mail-channel.ts';
import { WEBHOOK_DELIVERY } from './channels/webhook/delivery-store.ts';
import { webhookChannel } from './channels/webhook/webhook-channel.ts';
import type { MessageCursor, MessageStore, StoredMessage } from './message-store.ts';

export type Message = StoredMessage & {
  channel: string;
  /** `failed` messages will be attempted again. `given_up` messages will not. */
  state: 'waiting' | 'failed' | 'given_up';
};

const stateOf = ({ dueAt, lastError }: StoredMessage): Message['state'] =>
  dueAt === null ? 'given_up' : lastError === null ? 'waiting' : 'failed';

export const CHANNEL_NAMES = CHANNELS.map(({ name }) => name);

/** Test events, resent webhooks and emails with one-time codes are not notices. */
const channelOf = (kind: string): string =>
  (channelOfKind(kind) ?? (kind === WEBHOOK_DELIVERY ? webhookChannel : mailChannel)).name;

const toMessage = (stored: StoredMessage): Message => ({
  ...stored,
  channel: channelOf(stored.kind),
  state: stateOf(stored),
});

/** The operator's view of undelivered messages. `wake` sends due messages; undefined if mail is not configured. */
export function createMessages({ store, wake }: { store: MessageStore; wake: (() => void) | undefined }) {
  return {
    list: async (after: MessageCursor | undefined, limit: number): Promise<Message[]> =>
      (await store.list(after, limit)).map(toMessage),

    /** Throws `mail_not_configured`, `not_found` and `message_not_retryable`. */
    async retry(operator: Operator, id: string): Promise<Message> {
      if (!wake) throw new Problem('mail_not_configured', 'This service does not send messages: SMTP_URL is not set.');
      const isDue = await store.retry(operator, id);
      const message = await store.find(id);
      if (!message) throw new Problem('not_found', 'There is no undelivered message with this ID.');
      if (!isDue) {
        const detail =
          'The service has given up on the message and has removed the address. The user can request another email.';
        throw new Problem('message_not_retryable', detail);
      }
      wake();
      return toMessage(message);
    },
  };
}

export type Messages = ReturnType<typeof createMessages>;
