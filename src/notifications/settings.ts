import { z } from 'zod';

/*
 * The forms of the settings about mail. No fault repeats the value: it may hold a secret.
 */

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const FORM =
  'must be like smtp://user:password@host:587 or smtps://user:password@host:465, special characters percent-encoded';

const decoded = (text: string) => (text === '' ? undefined : decodeURIComponent(text));

/** The server that takes the service's mails. */
export const smtpUrl = z.string().transform((text, context) => {
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
    // No valid percent-encoding.
  }
  context.addIssue({ code: 'custom', message: FORM });
  return z.NEVER;
});

const ADDRESS = /^(?:[^<>"\p{Cc}]{1,100} <([^<>\s]+)>|([^<>\s]+))$/u;

/** Who mails come from: an address, or a name and an address. */
export const sender = z.string().refine((text) => {
  const [, named, alone] = ADDRESS.exec(text) ?? [];
  return z.email().safeParse(named ?? alone).success;
}, 'must be an address like quotient@example.org, or Quotient <quotient@example.org>');

type Given = {
  SMTP_URL?: unknown;
  MAIL_FROM?: unknown;
  PUBLIC_URL?: string | undefined;
  BASE_PATH: string;
  REGISTRATION: string;
};

/** What the settings about mail lack together: the name of a setting and what is wrong with each. */
export function mailFaults({ SMTP_URL, MAIL_FROM, PUBLIC_URL, BASE_PATH, REGISTRATION }: Given) {
  const faults: [name: string, message: string][] = [];
  if (SMTP_URL !== undefined && MAIL_FROM === undefined)
    faults.push(['MAIL_FROM', 'is missing: with SMTP_URL it is the sender, like quotient@example.org']);
  if (SMTP_URL !== undefined && PUBLIC_URL === undefined) {
    const wanted = `https://quotient.example.org${BASE_PATH}`;
    faults.push([
      'PUBLIC_URL',
      `is missing: with SMTP_URL it is what links in mails begin with, like ${wanted}`,
    ]);
  }
  if (PUBLIC_URL !== undefined && !PUBLIC_URL.endsWith(BASE_PATH))
    faults.push(['PUBLIC_URL', `must end in ${BASE_PATH}, which BASE_PATH puts before every path`]);
  if (REGISTRATION === 'verified' && SMTP_URL === undefined)
    faults.push(['REGISTRATION', 'can be verified only with SMTP_URL: the address is confirmed by mail']);
  return faults;
}
