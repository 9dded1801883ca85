import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ReadMail, readMail } from '#sandbox/mailbox';

const sample = (name: string) => readFileSync(new URL(`../../samples/mail/${name}`, import.meta.url), 'utf8');

/** The server's certificate, which is also its own authority. */
export const CERTIFICATE = sample('certificate.pem');

export type ServedMail = ReadMail & {
  from: string;
  to: string[];
  /** Whether the connection used TLS. */
  isSecure: boolean;
  user: string | undefined;
};

/** A rejection in a server's words: `550 5.1.1 no such mailbox`. */
export function rejection(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}

type Options = {
  secure?: boolean;
  /** Whether the server offers STARTTLS. */
  startTls?: boolean;
  /** The credentials that clients need, if any: `user:password`. */
  login?: string;
  /**
   * A reply that rejects an email for an address, either at the recipient or, with `at: 'data'`, at the end of the
   * data.
   */
  refuse?: (to: string) => { at?: 'rcpt' | 'data'; reply: string } | undefined;
};

/** Starts a real mail server on a free port. `mails` lists the accepted emails in order. */
export async function startMailServer({ secure = false, startTls = false, login, refuse }: Options = {}) {
  const mails: ServedMail[] = [];
  let arrived: (() => void)[] = [];
  let refused = 0;
  const disabled = [...(startTls ? [] : ['STARTTLS']), ...(login === undefined ? ['AUTH'] : [])];
  const options: SMTPServerOptions = {
    secure,
    key: sample('key.pem'),
    cert: CERTIFICATE,
    disabledCommands: disabled,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      if (`${username}:${password}` === login) done(null, { user: username });
      else done(rejection('535 5.7.8 wrong name or password'));
    },
    onRcptTo({ address }, _session, done) {
      const { at = 'rcpt', reply } = refuse?.(address) ?? {};
      if (reply === undefined || at !== 'rcpt') return done();
      refused += 1;
      done(rejection(reply));
    },
    onData(stream, { envelope, secure: isSecure, user }, done) {
      const take = async () => {
        const raw = await text(stream);
        const to = envelope.rcptTo.map(({ address }) => address);
        const { at, reply } = refuse?.(to[0] ?? '') ?? {};
        if (reply !== undefined && at === 'data') throw rejection(reply);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({
          ...readMail(raw),
          from,
          to,
          isSecure,
          user: user === undefined ? undefined : String(user),
        });
      };
      take()
        .then(() => done(), done)
        .finally(() => {
          for (const report of arrived) report();
          arrived = [];
        });
    },
  };
  const server = new SMTPServer(options);
  // Clients may abort their connections.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;

  return {
    url: `${secure ? 'smtps' : 'smtp'}://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}`,
    port,
    mails,
    /** The number of rejected recipients. */
    refused: () => refused,
    /** Resolves when `count` emails have arrived. */
    async arrivals(count: number): Promise<ServedMail[]> {
      while (mails.length < count) await new Promise<void>((resolve) => arrived.push(resolve));
      return mails;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** The one-time codes in an email's text, in order. */
export const tokensIn = ({ text: said }: Pick<ReadMail, 'text'>) =>
  [...said.matchAll(/#(?:recover|verify)=([A-Za-z0-9_-]{43})/g)].map(([, token = '']) => token);

/** The settings of a service that sends its emails with the server. */
export const mailSettings = ({ url }: Pick<MailServer, 'url'>) => ({
  SMTP_URL: url,
  MAIL_FROM: 'quotient@example.org',
  PUBLIC_URL: 'https://quotient.example.org',
});
