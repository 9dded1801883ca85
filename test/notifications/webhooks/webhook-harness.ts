import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { type Delivery, startReceiver } from '../../support/webhook/receiver.ts';

export type Listed = {
  id: string;
  messageId: string;
  resendOf: string | null;
  status: string;
  attempts: number;
  httpStatus: number | null;
  reason: string | null;
  createdAt: string;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
  deliveredAt: string | null;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
};

export type WebhookHarness = Awaited<ReturnType<typeof startWebhookHarness>>;

/** The service with a mail server and a receiver of webhooks, which responds with `receiver.status`. */
export async function startWebhookHarness() {
  const service: MailingService = await startMailingService({
    settings: { WEBHOOK_ALLOW: '127.0.0.0/8', BURST_PER_SECOND: '0' },
  });
  const responses = { status: 204 };
  const receiver = await startReceiver(() => responses.status);

  async function ask(method: string, path: string, apiKey: string) {
    const response = await fetch(`${service.url}/v1/user/${path}`, { method, headers: { 'x-api-key': apiKey } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  return {
    service,
    receiver,
    responses,
    ask,

    /** Creates a user whose webhooks go to the receiver, or to another URL. A null URL is not set. */
    async user(url: string | null = receiver.url) {
      const { key, apiKey } = await service.user('ada@example.org');
      const settings = { email: false, webhookUrl: receiver.url, thresholds: [80, 100] };
      const response = await fetch(`${service.url}/v1/user/notices`, {
        method: 'PUT',
        headers: { 'x-api-key': apiKey },
        body: JSON.stringify(settings),
      });
      const { webhookSecret } = (await response.json()) as { webhookSecret: string };
      await service.database.prisma.noticeSettings.update({ where: { userKey: key }, data: { webhookUrl: url } });
      return { key, apiKey, secret: webhookSecret };
    },

    test: (apiKey: string) => ask('POST', 'webhook/test', apiKey),
    resend: (apiKey: string, id: string) => ask('POST', `webhook/deliveries/${id}/resend`, apiKey),
    list: async (apiKey: string): Promise<Listed[]> => (await ask('GET', 'webhook/deliveries', apiKey)).body,

    /** Makes all due attempts. Returns the webhooks that have arrived since the last call. */
    async deliver(): Promise<Delivery[]> {
      await service.mail.outbox.deliverDue();
      return receiver.deliveries.splice(0);
    },

    /** Makes all waiting messages due, and attempts to deliver them. */
    async deliverAgain(): Promise<Delivery[]> {
      await service.database.prisma.outboxMessage.updateMany({
        where: { givenUpAt: null },
        data: { dueAt: new Date(0) },
      });
      return this.deliver();
    },

    async close(): Promise<void> {
      await service.close();
      await receiver.close();
    },
  };
}
