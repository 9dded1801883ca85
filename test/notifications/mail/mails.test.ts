import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeMail } from '#notifications/channels/mail/write-mail';
import { recoveryMail, verificationMail } from '#notifications/mail/mails';
import { mintMailToken } from '#notifications/mail/one-time-code';

const AT = Date.parse('2026-01-31T12:00:00Z');
const PUBLIC = 'https://quotient.example.org/market';

describe('an email', () => {
  test('has the same content in plain text and in HTML', () => {
    const mail = writeMail('Hello', ['One.', { words: 'Go on', link: 'https://a.example/#b=c' }, { code: 'curl x' }]);
    expect(mail.text).toBe('One.\n\nGo on:\nhttps://a.example/#b=c\n\n  curl x\n');
    expect(mail.html).toContain('<p>One.</p>');
    expect(mail.html).toContain('<a href="https://a.example/#b=c">Go on</a>');
    expect(mail.html).toContain('>curl x</pre>');
  });

  test('contains no markup and no additional header lines, whatever its values are', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('<', '>', '"', "'", '&', '\r', '\n', 'a', ':', ' ', '\0'),
    });
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (subject, paragraph, link, code) => {
        const mail = writeMail(subject, [paragraph, { words: paragraph, link }, { code }]);
        expect(mail.subject).not.toMatch(/\p{Cc}/u);
        const tags = mail.html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""'));
        expect(tags).toEqual([
          ...['<!doctype html>', '<html lang="">', '<body style="">'],
          ...['<p>', '</p>', '<p>', '<a href="">', '</a>', '</p>', '<pre style="">', '</pre>'],
          ...['</body>', '</html>'],
        ]);
      }),
    );
  });
});

test('the email to a user who has lost a key contains a link and a command for each user of the address', () => {
  const users = [
    { key: 7, plan: 'monthly', createdAt: AT, start: 'qt_Ab12', lastUsedAt: AT, token: 'a'.repeat(43) },
    { key: 3, plan: 'yearly', createdAt: AT, start: null, lastUsedAt: null, token: 'b'.repeat(43) },
  ] as const;
  const mail = recoveryMail({ users, others: 2, expiresAt: AT + 1_800_000, publicUrl: PUBLIC });
  expect(mail.subject).toBe('A new API key');
  expect(mail.text).toContain(
    'User 7: monthly plan, registered on 2026-01-31, its key starts with qt_Ab12, last used on 2026-01-31.',
  );
  expect(mail.text).toContain('User 3: yearly plan, registered on 2026-01-31.\n');
  expect(mail.text).toContain('2026-01-31 12:30 UTC');
  expect(mail.text).toMatch(/^2 more users are /m);
  expect(recoveryMail({ users, others: 1, expiresAt: AT, publicUrl: PUBLIC }).text).toMatch(/^One more user is /m);
  for (const { key, token } of users) {
    expect(mail.text).toContain(`Get a new key for user ${key}:\n${PUBLIC}/#recover=${token}\n`);
    expect(mail.html).toContain(`<a href="${PUBLIC}/#recover=${token}">`);
    expect(mail.text).toContain(
      `curl -H 'Content-Type: application/json' -d '{"token":"${token}"}' ${PUBLIC}/v1/user/recover/confirm`,
    );
  }
});

test('the email to a user who registers contains a link and a command', () => {
  const token = mintMailToken();
  const mail = verificationMail({ plan: 'monthly', token, expiresAt: AT, publicUrl: PUBLIC });
  expect(mail.text).toContain(`${PUBLIC}/#verify=${token}\n`);
  expect(mail.text).toContain(`{"token":"${token}"}' ${PUBLIC}/v1/user/verify`);
  expect(mail.text).toContain('2026-01-31 12:00 UTC');
});
