import { randomUUID } from 'node:crypto';
import type { Authority } from '#accounts/keys/api-key';
import { notActive } from '#accounts/keys/key-problems';
import { type Clock, HOUR, iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import type { WebhookDeliveryRecord } from '#notifications/records';
import { type DeliveryStore, PER_HOUR, type Refusal, type StoredDelivery } from './delivery-store.ts';

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
    ...{ id, messageId, resendOf, status: statusOf(stored), attempts, httpStatus, reason },
    createdAt: iso(stored.createdAt.getTime()),
    lastAttemptAt: at(stored.attemptedAt),
    nextAttemptAt: stored.deliveredAt === null ? at(dueAt) : null,
    deliveredAt: at(stored.deliveredAt),
    payload: JSON.parse(payload),
  };
}

/** The names of the limits in the headers, and the limited actions in words. */
const LIMITS = {
  test: { name: 'webhook-tests', detail: `A user can send up to ${PER_HOUR.test} test events per hour.` },
  resend: { name: 'webhook-resends', detail: `A user can send up to ${PER_HOUR.resend} webhooks again per hour.` },
} as const;

function refused(refusal: Refusal, kind: keyof typeof LIMITS): Problem {
  if (refusal === 'ended') return notActive();
  if (refusal === 'unknown') return new Problem('not_found', 'The user has no delivery with this ID.');
  if (refusal === 'off')
    return new Problem('webhook_not_set', 'The user has no webhook URL. Set webhookUrl with PUT /v1/user/notices.');
  const { name, detail } = LIMITS[kind];
  const headers = {
    'ratelimit-policy': `"${name}";q=${PER_HOUR[kind]};w=${HOUR / SECOND}`,
    ratelimit: `"${name}";r=0;t=${Math.max(1, Math.ceil(refusal.retryAfter))}`,
  };
  return new Problem('rate_limited', detail, { ...refusal, headers });
}

/** The user's view of webhooks. */
export function createDeliveries({ store, clock, wake }: Dependencies) {
  function accepted(stored: StoredDelivery | Refusal, kind: keyof typeof LIMITS): WebhookDeliveryRecord {
    if (typeof stored === 'string' || 'retryAfter' in stored) throw refused(stored, kind);
    wake();
    return toRecord(stored);
  }

  return {
    list: async (userKey: number): Promise<WebhookDeliveryRecord[]> => (await store.list(userKey)).map(toRecord),

    /** Throws `webhook_not_set` and `rate_limited`. */
    async test(authority: Authority): Promise<WebhookDeliveryRecord> {
      const event = { type: 'webhook.test', timestamp: iso(clock.now()), data: { user: authority.userKey } };
      const message = { messageId: randomUUID(), body: JSON.stringify(event) };
      return accepted(await store.addTest(authority, message), 'test');
    },

    /** Throws `not_found`, `webhook_not_set` and `rate_limited`. */
    async resend(authority: Authority, id: string): Promise<WebhookDeliveryRecord> {
      return accepted(await store.addResend(authority, id), 'resend');
    },
  };
}

export type Deliveries = ReturnType<typeof createDeliveries>;
