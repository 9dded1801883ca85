import { afterEach, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';

let service: MailingService;
afterEach(() => service?.close());

const rows = () => service.database.prisma.outboxMessage.findMany();

async function warnings(): Promise<string[]> {
  const ready = await service.get('/health/ready');
  return ((await ready.json()) as { warnings: string[] }).warnings;
}

async function mailState(): Promise<string | undefined> {
  const response = await service.get('/status', { headers: { accept: 'application/json' } });
  const { components } = (await response.json()) as { components: { name: string; state: string }[] };
  return components.find(({ name }) => name === 'mail')?.state;
}

async function start(reply: string | undefined) {
  let current = reply;
  let messageIds: (string | undefined)[] = [];
  service = await startMailingService({
    mailServer: { refuse: () => (current === undefined ? undefined : { reply: current }) },
  });
  await service.user('ada@example.org');
  await service.mail.recovery.request('ada@example.org');
  await service.mail.outbox.deliverDue();
  return {
    async retry(next: string | undefined): Promise<(string | undefined)[]> {
      current = next;
      await service.database.prisma.$executeRaw`UPDATE outbox_message SET due_at = clock_timestamp()`;
      messageIds = (await service.mailsSent()).map(({ headers }) => headers['message-id']);
      return messageIds;
    },
  };
}

test.each(['550 5.4.5 Daily user sending limit exceeded', '550 Blocked', '552 5.2.2 mailbox full'])(
  '%s is retried, and is a warning until an email is accepted',
  async (reply) => {
    const attempts = await start(reply);
    expect(await rows()).toMatchObject([{ givenUpAt: null, dueAt: expect.any(Date), attempts: 1 }]);
    expect(await warnings()).toEqual(['mail: refused']);
    expect(await mailState()).toBe('down');

    // The pause between two attempts can be longer than other failures are remembered.
    service.clock.advance(4 * HOUR + 50 * MINUTE);
    expect(await warnings()).toEqual(['mail: refused']);
    const page = await (await service.get('/status')).text();
    expect(page).toContain('The mail server rejected the request.');
    expect(page).not.toContain('All recent fetches succeeded');

    service.clock.advance(MINUTE);
    const [{ id } = { id: '' }] = await rows();
    expect(await attempts.retry(undefined)).toEqual([`<${id}@example.org>`]);
    expect(await warnings()).toEqual([]);
    expect(await mailState()).toBe('operational');
  },
);

test('an address that does not exist is given up at once, and is no warning', async () => {
  await start('550 5.1.1 no such mailbox');
  expect(await rows()).toMatchObject([{ givenUpAt: expect.any(Date), dueAt: null, attempts: 1 }]);
  expect(await warnings()).toEqual([]);
  expect(await mailState()).toBe('operational');
});
