import { createTransport } from 'nodemailer';
import { SECOND } from '#core/clock';
import { Undeliverable } from '#notifications/outbox';

type SmtpServer = {
  host: string;
  port: number;
  /** Whether TLS is used from the first byte. Otherwise, STARTTLS is used if the server offers it. */
  secure: boolean;
  user: string | undefined;
  password: string | undefined;
};

const TIMEOUTS = {
  dnsTimeout: 5 * SECOND,
  connectionTimeout: 10 * SECOND,
  greetingTimeout: 10 * SECOND,
  socketTimeout: 20 * SECOND,
  socketCloseTimeout: SECOND,
};

export type Mail = { subject: string; text: string; html: string };
/** `id` becomes the Message-ID, so that mail servers recognize a repeated email. */
type AddressedMail = Mail & { id: string; to: string };
type SmtpError = Error & { command?: string; response?: string; responseCode?: number };

/** Returns the reason without addresses, because the log must not contain personal data. */
function reasonOf({ command, response, message }: SmtpError): string {
  const said = response === undefined ? message : `${command ?? 'SMTP'}: ${response}`;
  return said.replace(/[^\s<>"',:;]+@[^\s<>"',:;]+/g, '…');
}

/** Whether the mailbox is missing (RFC 5321, 4.2.1). Policy rejections (RFC 3463, X.7) are the operator's to solve. */
const isBounce = ({ command, response = '', responseCode = 0 }: SmtpError) =>
  command === 'RCPT TO' && responseCode >= 500 && !/^5\d\d[ -]5\.7\./.test(response);

/** Sends emails over SMTP (RFC 5321), each over its own connection. */
export function createMailer({ host, port, secure, user, password }: SmtpServer, from: string) {
  const transport = createTransport({
    host,
    port,
    secure,
    ...TIMEOUTS,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const [, name = '', address = from] = /^(.+) <([^<>]+)>$/.exec(from) ?? [];
  const domain = /@(.+)$/.exec(address)?.[1] ?? 'localhost';

  return {
    /** Throws `Undeliverable` if the server rejects the address. Errors contain no addresses. */
    async send({ id, to, subject, text, html }: AddressedMail, signal: AbortSignal): Promise<void> {
      try {
        await transport.sendMail({
          subject,
          text,
          html,
          signal,
          // An object is always parsed as a single address.
          from: { name, address },
          to: { name: '', address: to },
          messageId: `<${id}@${domain}>`,
          // RFC 3834: prevents automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const reason = reasonOf(error as SmtpError);
        throw isBounce(error as SmtpError) ? new Undeliverable(reason) : new Error(reason);
      }
    },
  };
}

export type Mailer = ReturnType<typeof createMailer>;
