import { createTestClock } from '../../../fixtures/clock.ts';
import { startService } from '../service/service.ts';
import { type ServedMail, startMailServer } from './mail-server.ts';

type Options = { settings?: Record<string, string>; mailServer?: Parameters<typeof startMailServer>[0] };

export const PUBLIC_URL = 'https://quotient.example.org';

/** The service with a real mail server, on a clock that the test controls. */
export async function startMailingService({ settings, mailServer }: Options = {}) {
  const server = await startMailServer(mailServer);
  const clock = createTestClock('2026-01-31T12:00:00Z');
  const service = await startService({
    clock,
    settings: {
      SMTP_URL: server.url,
      MAIL_FROM: 'quotient@example.org',
      PUBLIC_URL,
      REGISTRATIONS_PER_MINUTE: '0',
      ...settings,
    },
  });
  const { mail } = service.parts;
  if (!mail) throw new Error('no mail server is configured');

  return {
    ...service,
    clock,
    server,
    mail,

    /** POSTs a body as JSON. A string is sent unchanged. */
    post(path: string, body?: unknown, headers: Record<string, string> = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(text !== undefined && { body: text }),
      });
    },

    /** Registers a user with an email address. Returns the record. */
    async user(email: string, plan = 'monthly') {
      const record = await service.parts.users.create({ name: 'Ada', email, plan: plan as 'monthly' });
      return record;
    },

    /** Sends all due emails. Returns the emails that have arrived since the last call. */
    async mailsSent(): Promise<ServedMail[]> {
      await mail.outbox.deliverDue();
      return server.mails.splice(0);
    },

    async close(): Promise<void> {
      await service.close();
      await server.close();
    },
  };
}

export type MailingService = Awaited<ReturnType<typeof startMailingService>>;
