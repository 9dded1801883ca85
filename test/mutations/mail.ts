import type { Mutations } from './mutation.ts';

/** The outbox, recovery by email, and registration with a confirmed email address. */
export const mail: Mutations[] = [
  {
    file: 'src/notifications/outbox.ts',
    tests: ['notifications/retries.test.ts'],
    changes: [
      ['age >= GIVEN_UP_AFTER', 'age > GIVEN_UP_AFTER'],
      ['2 ** (attempts - 1)', '(attempts - 1)'],
      ['Math.min(pause, GIVEN_UP_AFTER - age)', 'pause'],
    ],
  },
  {
    file: 'src/notifications/outbox-store.ts',
    tests: ['notifications/outbox-store.store.test.ts'],
    changes: [
      ['FOR UPDATE SKIP LOCKED', ''],
      ['AND due_at <= now()', ''],
      ['ORDER BY due_at LIMIT', 'ORDER BY due_at DESC LIMIT'],
      ['attempts = attempts + 1', 'attempts = attempts'],
      ['AND attempts = ${attempts}::int AND given_up_at IS NULL', ''],
      ['SET due_at = NULL, given_up_at', 'SET given_up_at'],
      ["payload = payload - 'email'", 'payload = payload'],
    ],
  },
  {
    file: 'src/notifications/outbox.ts',
    tests: ['notifications/outbox.store.test.ts'],
    changes: [
      ['(atOnce[kind] ?? AT_ONCE) - busy(kind)', 'AT_ONCE'],
      ['atOnce[kind] ?? AT_ONCE', 'AT_ONCE'],
      ['if (mayHaveMore) void look();', ''],
      ['pause !== undefined && !(error instanceof Undeliverable)', 'pause !== undefined'],
      ['isClosed ? 0 : pauseAfter', 'pauseAfter'],
      ['await store.delivered(message);', ''],
      ["log.warn(facts, 'delivery given up')", "failures.failed('delivery', error, facts)"],
      ['.slice(0, MAX_REASON)', '.slice(0, 0)'],
    ],
  },
  {
    file: 'src/notifications/mail/mails.ts',
    tests: ['notifications/mail/mails.test.ts'],
    changes: [
      ['escapeHtml(part.link)', 'part.link'],
      ['escapeHtml(part.code)', 'part.code'],
      ["subject.replace(/\\p{Cc}+/gu, ' ')", 'subject'],
    ],
  },
  {
    file: 'src/notifications/mail/one-time-code.ts',
    tests: ['notifications/mail/mails.test.ts'],
    changes: [
      ['const BYTES = 32', 'const BYTES = 16'],
      ['email.toLowerCase()', 'email'],
    ],
  },
  {
    file: 'src/notifications/sources/smtp.ts',
    tests: ['notifications/sources/smtp.test.ts'],
    changes: [
      ["command === 'RCPT TO' && ", ''],
      ['responseCode >= 500', 'responseCode >= 400'],
      [' && !/^5\\d\\d[ -]5\\.7\\./.test(response)', ''],
      ["'…')", "'$&')"],
      ["to: { name: '', address: to }", 'to'],
      ['from: { name, address }', 'from'],
    ],
  },
  {
    file: 'src/notifications/settings.ts',
    tests: ['settings-mail.test.ts'],
    changes: [
      ['|| !', '&& !'],
      ["url.username !== '' || url.password === ''", 'true'],
      ['!PUBLIC_URL.endsWith(BASE_PATH)', 'false'],
    ],
  },
  {
    file: 'src/notifications/mail/recovery-store.ts',
    tests: ['notifications/mail/user-recovery.store.test.ts'],
    changes: [
      ['OR held.count < ${most}::int', 'OR true'],
      ['excluded.last_at - held.last_at)) >=', 'excluded.last_at - held.last_at)) >'],
      [
        'abs(extract(epoch FROM excluded.last_at - held.last_at))',
        'extract(epoch FROM excluded.last_at - held.last_at)',
      ],
      ['THEN 1 ELSE held.count + 1', 'THEN held.count + 1 ELSE held.count + 1'],
    ],
  },
  {
    file: 'src/accounts/keys/change-user-store.ts',
    tests: ['notifications/mail/user-recovery.store.test.ts'],
    changes: [
      ['${hasAddress(email)}', 'u.email = ${email}'],
      ['u.key AND ${IS_ACTIVE_OWNER}', 'u.key'],
      ['ORDER BY u.verified_at IS NULL, u.key', 'ORDER BY u.key'],
      ['ORDER BY u.verified_at IS NULL, u.key', 'ORDER BY u.verified_at IS NULL, k.last_used_at DESC NULLS LAST'],
    ],
  },
  {
    file: 'src/notifications/mail/registration.ts',
    tests: ['notifications/mail/user-recovery.store.test.ts'],
    changes: [
      ['to: first.email', 'to: email'],
      ['users.recover(key, hash)', 'users.recover(key)'],
    ],
  },
  {
    file: 'src/notifications/mail/registration.ts',
    tests: ['notifications/mail/enumeration.server.test.ts'],
    changes: [
      [
        'if (await store.request(randomUUID(), email, clock.now())) wake();',
        'const { count } = await users.usersOf(email, 1); if (count > 0 && (await store.request(randomUUID(), email, clock.now()))) wake();',
      ],
    ],
  },
  {
    file: 'src/accounts/keys/key-store.ts',
    tests: ['notifications/mail/user-recovery.store.test.ts'],
    changes: [
      ['AND user_key = ${userKey} AND expires_at > ${iso(now)}::timestamptz', 'AND user_key = ${userKey}'],
      ['USING changed WHERE user_key = key)', 'USING changed WHERE hash = ${token})'],
    ],
  },
  {
    file: 'src/notifications/mail/registration-store.ts',
    tests: ['notifications/mail/user-verify.store.test.ts'],
    changes: [
      [
        'DELETE FROM pending_registration USING mail_token\n',
        'UPDATE pending_registration SET name = pending_registration.name FROM mail_token\n',
      ],
      ['RETURNING name, email, plan)', 'RETURNING pending_registration.email AS name, email, plan)'],
      ['\n            AND mail_token.expires_at > ${at}', ''],
    ],
  },
  {
    file: 'src/notifications/mail/registration.ts',
    tests: ['notifications/mail/user-verify.store.test.ts'],
    changes: [
      ['registration.expiresAt <= clock.now()', 'false'],
      ['firstTerm(plan, now)', 'firstTerm(plan, 0)'],
    ],
  },
  {
    file: 'src/notifications/mail/routes.ts',
    tests: ['notifications/mail/user-recovery.store.test.ts', 'notifications/mail/user-verify.store.test.ts'],
    changes: [
      ['sameSite: true, ', ''],
      ['      refuseClosed(settings.registration);\n', ''],
      [", perClient: 'calls of this kind'", ''],
      ['needsMail: true, ', ''],
    ],
  },
];
