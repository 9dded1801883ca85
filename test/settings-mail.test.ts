import { expect, test } from 'vitest';
import { SettingsError } from '#core/forms/setting-forms';
import { readSettings } from '#settings';

const MAIL = {
  SMTP_URL: 'smtp://mail.example.org',
  MAIL_FROM: 'quotient@example.org',
  PUBLIC_URL: 'https://quotient.example.org',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

test.each([
  ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, secure: false }],
  ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, secure: true }],
  ['smtps://mail.example.org:587/', { host: 'mail.example.org', port: 587, secure: true }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false }],
  [
    'smtp://ada%40example.org:p%2F%3Aw@mail.example.org:25',
    { host: 'mail.example.org', port: 25, secure: false, user: 'ada@example.org', password: 'p/:w' },
  ],
])('accepts %s as a mail server', (url, server) => {
  const { mail } = readSettings({ ...MAIL, SMTP_URL: url });
  expect(mail).toEqual({
    smtp: { user: undefined, password: undefined, ...server },
    from: 'quotient@example.org',
    publicUrl: 'https://quotient.example.org',
  });
});

test.each([
  'http://mail.example.org',
  'mail.example.org:25',
  'smtp://',
  'smtp://:secret@mail.example.org',
  'smtp://ada:se%zzcret@mail.example.org',
  'smtp://ada:secret@mail.example.org?pool=true',
  'smtp://ada:secret@mail.example.org/path',
  'smtp://ada:se#cret@mail.example.org',
])('rejects %s, without repeating it in the error', (url) => {
  const faults = faultsOf({ ...MAIL, SMTP_URL: url });
  expect(faults).toEqual([
    'SMTP_URL must have the form smtp://user:password@host:587 or smtps://user:password@host:465, with special characters percent-encoded',
  ]);
});

test.each([
  ['a/b@bücher.example', 'a/b@xn--bcher-kva.example'],
  ['m@ü.example <m@ü.example>', 'm@ü.example <m@xn--tda.example>'],
])('%s is the sender %s', (from, sender) => {
  expect(readSettings({ ...MAIL, MAIL_FROM: from }).mail?.from).toBe(sender);
});

test.each(['quotient@example.org', 'Quotient <quotient@example.org>', 'Märkte & Co. <m@example.org>'])(
  'accepts %s as the sender',
  (from) => {
    expect(readSettings({ ...MAIL, MAIL_FROM: from }).mail?.from).toBe(from);
  },
);

test.each([
  'quotient',
  'Quotient quotient@example.org',
  'a@example.org, b@example.org',
  'Quotient <quotient@example.org>\r\nBcc: eve@example.org',
  'Quo\ntient <quotient@example.org>',
  '<quotient@example.org> eve@example.org',
])('rejects %j as the sender', (from) => {
  expect(faultsOf({ ...MAIL, MAIL_FROM: from })).toEqual([
    'MAIL_FROM must be an address such as quotient@example.org, or Quotient <quotient@example.org>',
  ]);
});

test('a mail server requires a sender and a base URL for links', () => {
  expect(faultsOf({ SMTP_URL: MAIL.SMTP_URL, BASE_PATH: '/market' })).toEqual([
    expect.stringMatching(/^MAIL_FROM .*\bSMTP_URL\b/),
    expect.stringMatching(/^PUBLIC_URL .*\bSMTP_URL\b.* https:\/\/quotient\.example\.org\/market$/),
  ]);
  expect(readSettings({ MAIL_FROM: MAIL.MAIL_FROM, PUBLIC_URL: MAIL.PUBLIC_URL }).mail).toBeUndefined();
});

test('links require the path prefix', () => {
  expect(faultsOf({ ...MAIL, BASE_PATH: '/market' })).toEqual([
    'PUBLIC_URL must end in /market, the value of BASE_PATH',
  ]);
  const settings = readSettings({ ...MAIL, BASE_PATH: '/market', PUBLIC_URL: 'https://example.org/market/' });
  expect(settings.mail?.publicUrl).toBe('https://example.org/market');
});

test('the path of PUBLIC_URL is that of all links, so it must be a path of this service', () => {
  for (const path of ['/a//b', '/a%20b', '/ü', '/a;b'])
    expect(faultsOf({ PUBLIC_URL: `https://example.org${path}` })).toEqual([
      expect.stringMatching(/^PUBLIC_URL .*path/),
    ]);
  expect(readSettings({ PUBLIC_URL: 'https://example.org/a/b-c_1.~/' }).basePath).toBe('/a/b-c_1.~');
  expect(faultsOf({ PUBLIC_URL: 'example.org' })).toEqual(['PUBLIC_URL must be an http:// or https:// URL']);
});

test('an origin of CORS_ORIGINS has no wildcard, which would allow no page', () => {
  for (const origins of ['https://*.example.org', 'https://example.org,http://localhost*'])
    expect(faultsOf({ CORS_ORIGINS: origins })).toEqual([expect.stringMatching(/^CORS_ORIGINS /)]);
  expect(readSettings({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*']);
});

test('confirmed addresses require a mail server', () => {
  expect(faultsOf({ REGISTRATION: 'verified' })).toEqual([expect.stringMatching(/^REGISTRATION .*\bSMTP_URL\b/)]);
  expect(readSettings({ ...MAIL, REGISTRATION: 'verified' }).registration).toBe('verified');
});
