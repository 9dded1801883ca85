import { randomUUID } from 'node:crypto';
import { type Clock, iso } from '#core/clock';
import type { Authority } from '#users/authority';
import type { DeliveryStore, StoredDelivery } from './delivery-store.ts';
import type { WebhookDeliveryRecord } from './webhook-records.ts';

type Dependencies = { store: DeliveryStore; clock: Clock; wake: () => void };

const statusOf = ({ deliveredAt, dueAt, reason }: StoredDelivery): WebhookDeliveryRecord['status'] => {
  if (deliveredAt !== null) return 'delivered';
  if (dueAt === null) return 'failed';
  return reason === null ? 'pending' : 'retrying';
};

function toRecord(stored: StoredDelivery): WebhookDeliveryRecord {
  const { id, messageId, resendOf, attempts, httpStatus, reason, payload, dueAt } = stored;
  const at = (date: Date | null) => date && iso(date.getTime());
  return {
    id,
    messageId,
    resendOf,
    status: statusOf(stored),
    attempts,
    httpStatus,
    reason,
    createdAt: iso(stored.createdAt.getTime()),
    lastAttemptAt: at(stored.attemptedAt),
    nextAttemptAt: stored.deliveredAt === null ? at(dueAt) : null,
    deliveredAt: at(stored.deliveredAt),
    payload: JSON.parse(payload),
  };
}

export function createDeliveries({ store, clock, wake }: Dependencies) {
  function accepted(stored: StoredDelivery): WebhookDeliveryRecord {
    wake();
    return toRecord(stored);
  }

  return {
    list: async (userKey: number): Promise<WebhookDeliveryRecord[]> => (await store.list(userKey)).map(toRecord),

    /** Throws `webhook_not_set` and `rate_limited`. */
    async test(authority: Authority): Promise<WebhookDeliveryRecord> {
      const event = { type: 'webhook.test', timestamp: iso(clock.now()), data: { user: authority.userKey } };
      const message = { messageId: randomUUID(), body: JSON.stringify(event) };
      return accepted(await store.addTest(authority, message));
    },

    /** Throws `not_found`, `webhook_not_set` and `rate_limited`. */
    async resend(authority: Authority, id: string): Promise<WebhookDeliveryRecord> {
      return accepted(await store.addResend(authority, id));
    },
  };
}

export type Deliveries = ReturnType<typeof createDeliveries>;
