import { expect, test } from 'vitest';
import { createMailer } from '#notifications/sources/smtp';
import { type ReceivedMail, startMailbox } from '#sandbox/mailbox';
import { readSettings } from '#settings';

test('the mailbox parses the service’s emails', async () => {
  const got: ReceivedMail[] = [];
  const mailbox = await startMailbox((mail) => got.push(mail));
  const { mail } = readSettings({
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'q@example.org',
    PUBLIC_URL: 'http://a.example',
  });
  if (!mail) throw new Error('no mail server is configured');
  const mailer = createMailer(mail.smtp, mail.from);
  const text = `Grüße\n.\n..dots\n${'=C3 long '.repeat(40)}end`;
  for (const to of ['ada@example.org', 'bob@example.org']) {
    const subject = `For ${to}`;
    await mailer.send({ id: '1', to, subject, text, html: '<p>é</p>' }, new AbortController().signal);
  }
  expect(got).toMatchObject([
    { to: 'ada@example.org', headers: { subject: 'For ada@example.org' }, text, html: '<p>é</p>' },
    { to: 'bob@example.org' },
  ]);
  await mailbox.close();
});
