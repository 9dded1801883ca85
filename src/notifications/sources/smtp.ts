import { createTransport } from 'nodemailer';
import { SECOND } from '#core/clock';
import { Undeliverable } from '#notifications/outbox';

/** A server that takes mails, as the settings name it. */
type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte; without it, STARTTLS where the server offers it. */
  secure: boolean;
  user: string | undefined;
  password: string | undefined;
};

/** How long each step may take, in ms. */
const TIMEOUTS = {
  dnsTimeout: 5 * SECOND,
  connectionTimeout: 10 * SECOND,
  greetingTimeout: 10 * SECOND,
  socketTimeout: 20 * SECOND,
  socketCloseTimeout: SECOND,
};

/** A mail as it is written: the same in plain text and in HTML. */
export type Mail = { subject: string; text: string; html: string };

/** A mail to one address; `id` makes its Message-ID, so that one that is sent twice is seen to be the same. */
type AddressedMail = Mail & { id: string; to: string };

type SmtpError = Error & { command?: string; response?: string; responseCode?: number };

/** What the server said, or what happened on the way; addresses are nobody's business who reads the log. */
function reasonOf({ command, response, message }: SmtpError): string {
  const said = response === undefined ? message : `${command ?? 'SMTP'}: ${response}`;
  return said.replace(/[^\s<>"',:;]+@[^\s<>"',:;]+/g, '…');
}

/**
 * Whether there is no such mailbox (RFC 5321, 4.2.1), which the next attempt would be told again. What a server refuses
 * by its rules (RFC 3463, X.7) is the operator's to mend.
 */
const isBounce = ({ command, response = '', responseCode = 0 }: SmtpError) =>
  command === 'RCPT TO' && responseCode >= 500 && !/^5\d\d[ -]5\.7\./.test(response);

/** Sends mails over SMTP (RFC 5321), each over a connection of its own. */
export function createMailer({ host, port, secure, user, password }: SmtpServer, from: string) {
  const transport = createTransport({
    ...{ host, port, secure, ...TIMEOUTS },
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const [, name = '', address = from] = /^(.+) <([^<>]+)>$/.exec(from) ?? [];
  const domain = /@(.+)$/.exec(address)?.[1] ?? 'localhost';

  return {
    /** Throws `Undeliverable` for an address that the server does not take, else an error that tells no address. */
    async send({ id, to, subject, text, html }: AddressedMail, signal: AbortSignal): Promise<void> {
      try {
        await transport.sendMail({
          ...{ subject, text, html, signal },
          // As an object each is one address, whatever it holds.
          from: { name, address },
          to: { name: '', address: to },
          messageId: `<${id}@${domain}>`,
          // RFC 3834: nobody's holiday notice comes back.
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
