import type { Clock } from '#core/clock';
import { webhookHeaders } from '#notifications/channels/webhook/signature';
import type { WebhookFailure, WebhookSender } from '#notifications/channels/webhook/webhook';
import { type Deliver, Undeliverable } from '#notifications/outbox';
import type { OutboxMessage } from '#notifications/outbox-store';
import type { SignedMessage, Target } from '../channel.ts';
import type { DeliveryStore } from './delivery-store.ts';

type Dependencies = {
  store: Pick<DeliveryStore, 'begin' | 'delivered' | 'failed' | 'targetOf'>;
  webhooks: WebhookSender;
  /** Turns off webhooks to an address, unless the user has changed the address. */
  turnOff: (userKey: number, url: string) => Promise<void>;
  clock: Clock;
};

export function createWebhookPosting({ store, webhooks, turnOff, clock }: Dependencies) {
  async function attempt(url: string, body: string, headers: Readonly<Record<string, string>>) {
    try {
      return { status: await webhooks.post(url, body, headers) };
    } catch (error) {
      return { failure: error as WebhookFailure };
    }
  }

  /**
   * Makes one attempt. `notice` is the message of a notice; other messages are stored. Returns whether the message was
   * sent. It is not sent, and no further attempt follows, if webhooks are off (no `target`) or the delivery was
   * deleted.
   */
  async function post(
    message: OutboxMessage,
    userKey: number,
    target: Target | undefined,
    notice?: SignedMessage,
  ): Promise<boolean> {
    if (!target) {
      await store.failed(message, 'webhook_off', null);
      return false;
    }
    const started = await store.begin(message, notice && { ...notice, userKey });
    if (!started) return false;
    const { messageId: id, body } = started;
    const headers = webhookHeaders({ id, now: clock.now(), body }, target.secrets);
    const { status, failure } = await attempt(target.url, body, headers);
    if (!failure) {
      await store.delivered(message, status);
      return true;
    }
    const { status: answered } = failure;
    await store.failed(message, answered === undefined ? 'no_response' : 'http_status', answered ?? null);
    if (!failure.isGone) throw failure;
    await turnOff(userKey, target.url);
    throw new Undeliverable('status 410: the webhook was turned off');
  }

  const deliver: Deliver = async (message) => {
    const { userKey } = message;
    if (userKey !== null) await post(message, userKey, await store.targetOf(userKey, clock.now()));
  };

  return { post, deliver };
}
