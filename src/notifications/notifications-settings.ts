import { z } from 'zod';
import { parseEmail } from '#core/forms/email-address';
import { parseNetworks } from '#core/forms/network-address';
import { baseUrl, type Parsed, readBy, type SettingFault } from '#core/forms/setting-forms';

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const FORM =
  'must have the form smtp://user:password@host:587 or smtps://user:password@host:465, with special characters percent-encoded';

const decoded = (text: string) => (text === '' ? undefined : decodeURIComponent(text));

const smtpUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:';
  const hasMore = /[?#]/.test(text) || !['', '/'].includes(url?.pathname ?? '');
  try {
    if (url && isSmtp && !hasMore && url.hostname !== '' && (url.username !== '' || url.password === '')) {
      return {
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port === '' ? PORTS[url.protocol as keyof typeof PORTS] : Number(url.port),
        secure: url.protocol === 'smtps:',
        user: decoded(url.username),
        password: decoded(url.password),
      };
    }
  } catch {
    // Invalid percent-encoding.
  }
  context.addIssue({ code: 'custom', message: FORM });
  return z.NEVER;
});

const ADDRESS = /^(?:[^<>"\p{Cc}]{1,100} <([^<>\s]+)>|([^<>\s]+))$/u;

const sender = readBy((text) => {
  const [, named, alone = ''] = ADDRESS.exec(text) ?? [];
  const address = named ?? alone;
  const parsed = parseEmail(address);
  const start = text.lastIndexOf(address);
  if ('address' in parsed) return text.slice(0, start) + parsed.address + text.slice(start + address.length);
  throw new Error('must be an address such as quotient@example.org, or Quotient <quotient@example.org>');
});

export const notificationVariables = {
  WEBHOOK_ALLOW: readBy(parseNetworks).default([]),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: sender.optional(),
  PUBLIC_URL: baseUrl.optional(),
};

type Environment = Parsed<typeof notificationVariables>;

/** Checks the mail settings together with the settings that depend on them. */
export function mailFaults(env: Environment & { BASE_PATH: string; REGISTRATION: string }) {
  const { SMTP_URL, MAIL_FROM, PUBLIC_URL, BASE_PATH, REGISTRATION } = env;
  const faults: SettingFault[] = [];
  if (SMTP_URL !== undefined && MAIL_FROM === undefined)
    faults.push([
      'MAIL_FROM',
      "is missing: with SMTP_URL, set it to the sender's address, such as quotient@example.org",
    ]);
  if (SMTP_URL !== undefined && PUBLIC_URL === undefined) {
    const wanted = `https://quotient.example.org${BASE_PATH}`;
    faults.push([
      'PUBLIC_URL',
      `is missing: with SMTP_URL, set it to the base URL for links in emails, such as ${wanted}`,
    ]);
  }
  if (PUBLIC_URL !== undefined && !PUBLIC_URL.endsWith(BASE_PATH))
    faults.push(['PUBLIC_URL', `must end in ${BASE_PATH}, the value of BASE_PATH`]);
  if (REGISTRATION === 'verified' && SMTP_URL === undefined)
    faults.push([
      'REGISTRATION',
      'can be verified only with SMTP_URL, because the service confirms addresses by email',
    ]);
  return faults;
}

export const notificationSettings = ({ WEBHOOK_ALLOW, SMTP_URL, MAIL_FROM, PUBLIC_URL }: Environment) => ({
  mail:
    SMTP_URL && MAIL_FROM !== undefined && PUBLIC_URL !== undefined
      ? { smtp: SMTP_URL, from: MAIL_FROM, publicUrl: PUBLIC_URL }
      : undefined,
  webhookAllow: WEBHOOK_ALLOW,
});

export type NotificationSettings = ReturnType<typeof notificationSettings>;
