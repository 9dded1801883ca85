import { createTransport } from 'nodemailer';
import { SECOND } from '#core/clock';
import { Undeliverable } from '#notifications/outbox';
import type { AddressedMail } from '../channel.ts';

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

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

/** Returns the reason without addresses, because the log must not contain personal data. */
function reasonOf({ command, response, message }: SmtpError): string {
  const said = response === undefined ? message : `${command ?? 'SMTP'}: ${response}`;
  return said.replace(/[^\s<>",:;]+@[^\s<>"',:;]+/g, '…');
}

/** An enhanced status code (RFC 3463). The look-arounds exclude IP addresses. */
const ENHANCED_CODE = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
/** Codes `5.1.x` concern the recipient's address, except `5.1.7` and `5.1.8`, which concern the sender's. */
const ADDRESS_CODE = /^5\.1\.(?!0*[78]$)/;
const MAILBOX = '(?:mailbox|recipient|user|account|email address)';
const UNKNOWN = '(?:unknown|not found|(?:does not|doesn.?t) exist)';
/** Servers also use 550 to reject senders, hosts and policies. A text about these does not concern the mailbox. */
const UNKNOWN_MAILBOX = new RegExp(
  `no such ${MAILBOX}|(?:unknown|invalid) ${MAILBOX}|${MAILBOX}(?: address)?(?: is| was)? ${UNKNOWN}|no mailbox`,
  'i',
);
const OTHER_SUBJECT = /\b(?:sender|from|host|client|ip|block|blocked|spam|limit|quota|relay)\b/i;

/**
 * Whether the rejection concerns the address, so that a retry is useless. Rejections because of quotas, full mailboxes,
 * block lists and policies are temporary, or the operator must resolve them.
 */
function isBounce({ command = '', response = '', responseCode = 0 }: SmtpError): boolean {
  if (responseCode < 500 || !['RCPT TO', 'DATA'].includes(command)) return false;
  const [code] = ENHANCED_CODE.exec(response) ?? [];
  if (code !== undefined) return ADDRESS_CODE.test(code);
  const isBare = command === 'RCPT TO' && responseCode === 550;
  return isBare && UNKNOWN_MAILBOX.test(response) && !OTHER_SUBJECT.test(response);
}

/** The mail server did not accept an email, but may accept it later. Contains no addresses. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';
  readonly reason: 'refused' | 'timeout' | 'unreachable';

  constructor(error: SmtpError, signal: AbortSignal) {
    super(reasonOf(error));
    const isLate = error.code === 'ETIMEDOUT' || signal.reason?.name === 'TimeoutError';
    this.reason = error.responseCode !== undefined ? 'refused' : isLate ? 'timeout' : 'unreachable';
  }
}

/** Sends emails over SMTP (RFC 5321), with a separate connection for each email. */
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
    /** Throws `Undeliverable` if the server rejects the address, otherwise `MailFailure`. */
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
        const failure = error as SmtpError;
        throw isBounce(failure) ? new Undeliverable(reasonOf(failure)) : new MailFailure(failure, signal);
      }
    },
  };
}

export type Mailer = ReturnType<typeof createMailer>;
