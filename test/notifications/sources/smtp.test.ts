import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMailer } from '#notifications/channels/mail/smtp';
import { Undeliverable } from '#notifications/outbox';
import { readSettings } from '#settings';
import { CERTIFICATE, type MailServer, startMailServer } from '../../support/mail/mail-server.ts';

const servers: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
}

const FROM = 'Quotient <quotient@example.org>';

function mailerTo(url: string, from = FROM) {
  const { mail } = readSettings({
    SMTP_URL: url,
    MAIL_FROM: from,
    PUBLIC_URL: 'https://quotient.example.org',
  });
  if (!mail) throw new Error('no mail server is configured');
  return createMailer(mail.smtp, mail.from);
}

const MAIL = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  to: 'ada@example.org',
  subject: 'A new API key',
  text: `Grüße = ${'long '.repeat(60)}\n.\n.dot\n`,
  html: '<p>Grüße</p>\n',
};
const never = new AbortController().signal;

/** The reply to a line; undefined to drop the connection. The first line is empty and stands for the greeting. */
type Reply = (line: string) => string | undefined;

const afterEhlo =
  (reply: Reply): Reply =>
  (line) => {
    if (line === '') return '220 hello';
    if (/^[EH][HE]LO/.test(line)) return '250 hello';
    return line === 'DATA' ? '354 go ahead' : reply(line);
  };

const startTls =
  (response: string): Reply =>
  (line) => {
    if (line === '') return '220 hello';
    return line === 'STARTTLS' ? response : '250-hello\r\n250 STARTTLS';
  };

/** A mail server that replies to each line of a command. Lines of content get no reply, except the last. */
async function serveLines(reply: Reply): Promise<{ url: string }> {
  const server = createServer((socket) => {
    let isContent = false;
    socket.on('error', () => undefined).write(`${reply('')}\r\n`);
    createInterface(socket).on('line', (line) => {
      if (isContent && line !== '.') return;
      const response = reply(line);
      isContent = response?.startsWith('354') ?? false;
      if (response === undefined) socket.destroy();
      else socket.write(`${response}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The failure that a mailer throws. */
const faultOf = (url: string, signal = never, mail = MAIL): Promise<Error> =>
  mailerTo(url)
    .send(mail, signal)
    .then(
      () => new Error('the email was sent'),
      (error: Error) => error,
    );

test('an email arrives unchanged', async () => {
  const server = await serve();
  await mailerTo(server.url).send(MAIL, never);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: 'quotient@example.org', to: ['ada@example.org'], isSecure: false });
  expect(mail?.text).toBe(MAIL.text.trimEnd());
  expect(mail?.html).toBe('<p>Grüße</p>');
  expect(mail?.headers).toMatchObject({
    from: FROM,
    to: 'ada@example.org',
    subject: 'A new API key',
    'message-id': `<${MAIL.id}@example.org>`,
    'auto-submitted': 'auto-generated',
  });
});

test('no value of an email adds a header or a recipient', async () => {
  const server = await serve();
  const injected = '\r\nBcc: eve@example.org\r\nX-Evil: 1\r\n\r\nbody';
  await mailerTo(server.url).send({ ...MAIL, subject: `Hello${injected}` }, never);
  await mailerTo(server.url)
    .send({ ...MAIL, to: `ada@example.org${injected}` }, never)
    .catch(() => undefined);
  await mailerTo(server.url)
    .send({ ...MAIL, to: 'ada@example.org, eve@example.org' }, never)
    .catch(() => undefined);
  for (const { headers, to } of server.mails) {
    expect(Object.keys(headers)).not.toContain('bcc');
    expect(Object.keys(headers)).not.toContain('x-evil');
    expect(to).toHaveLength(1);
    expect(to).not.toContain('eve@example.org');
  }
  expect(server.mails.length).toBeGreaterThan(0);
});

test.each(['Quotes: prices; candles', 'Quotient, Inc', 'a@example.com (b)'])(
  'the sender can have the name %s',
  async (name) => {
    const server = await serve();
    await mailerTo(server.url, `${name} <quotient@example.org>`).send(MAIL, never);
    const [mail] = server.mails;
    expect(mail?.from).toBe('quotient@example.org');
    expect(mail?.headers.from).toBe(`"${name}" <quotient@example.org>`);
  },
);

describe('over TLS', () => {
  const authorities = tls.getCACertificates();
  beforeEach(() => {
    tls.setDefaultCACertificates([...authorities, CERTIFICATE]);
    return () => tls.setDefaultCACertificates(authorities);
  });

  test.each([
    ['from the start', { secure: true }],
    ['by STARTTLS', { startTls: true }],
  ])('%s, with user name and password', async (_, options) => {
    const server = await serve({ ...options, login: 'ada:secret' });
    await mailerTo(server.url).send(MAIL, never);
    expect(server.mails).toMatchObject([{ isSecure: true, user: 'ada' }]);
  });

  test('an untrusted certificate is rejected, with implicit TLS and STARTTLS', async () => {
    tls.setDefaultCACertificates(authorities);
    for (const options of [{ secure: true }, { startTls: true }]) {
      const server = await serve(options);
      expect((await faultOf(server.url)).message).toMatch(/self[- ]signed/i);
      expect(server.mails).toEqual([]);
    }
  });
});

describe('a fault', () => {
  test('of the credentials is the operator’s fault, and does not reveal them', async () => {
    const server = await serve({ login: 'ada:secret' });
    const fault = await faultOf(server.url.replace('secret', 'wrongpass'));
    expect(fault).not.toBeInstanceOf(Undeliverable);
    expect(fault.message).toContain('535');
    expect(fault.message).not.toMatch(/wrongpass|secret/);
  });

  test.each([
    ['550 5.1.1 no such mailbox', true],
    ['553 5.1.3 invalid address', true],
    ['556 5.1.10 the domain accepts no mail', true],
    ['550 #5.1.0 Address rejected', true],
    ['550 no such mailbox', true],
    ['550 User unknown', true],
    ['550 Recipient not found', true],
    ['550 This user does not exist', true],
    ['550 invalid recipient', true],
    // The sender's address is a setting.
    ['550 5.1.7 bad sender address', false],
    ['550 5.1.8 bad sender domain', false],
    ['550 5.4.5 Daily user sending limit exceeded', false],
    ['550 5.2.1 mailbox disabled', false],
    ['552 5.2.2 mailbox full', false],
    ['554 5.7.1 relay access denied', false],
    ['550 Blocked', false],
    ['550 Blocked - see https://example.net/?5.1.1.1', false],
    ['550 mailbox unavailable', false],
    ['550 Sender verify failed: unknown user', false],
    ['550 relay not permitted for unknown user', false],
    ['551 no such mailbox', false],
    ['554 no such mailbox', false],
    ['452 4.2.2 mailbox full', false],
    ['450 4.2.0 greylisted', false],
    ['450 no such mailbox', false],
    ['421 4.3.2 not now', false],
  ])('%s for a recipient is permanent: %s', async (reply, isForGood) => {
    const server = await serve({ refuse: (to) => ({ reply: `${reply} <${to}>` }) });
    const fault = await faultOf(server.url);
    expect(fault instanceof Undeliverable).toBe(isForGood);
    if (!isForGood) expect(fault).toMatchObject({ reason: 'refused' });
    expect(fault.message).toContain(reply.slice(0, 3));
    // Log lines must not contain addresses.
    expect(fault.message).not.toContain('ada@example.org');
  });

  test('for one recipient does not delay another recipient’s email', async () => {
    const server = await serve({
      refuse: (to) => (to === 'gone@example.org' ? { reply: '550 5.1.1 gone' } : undefined),
    });
    expect(await faultOf(server.url, never, { ...MAIL, to: 'gone@example.org' })).toBeInstanceOf(Undeliverable);
    await mailerTo(server.url).send(MAIL, never);
    expect(server.mails).toMatchObject([{ to: ['ada@example.org'] }]);
  });

  test('for a recipient can follow the content', async () => {
    const server = await serve({ refuse: () => ({ at: 'data', reply: '550 5.1.1 no such mailbox' }) });
    expect(await faultOf(server.url)).toBeInstanceOf(Undeliverable);
    const other = await serve({ refuse: () => ({ at: 'data', reply: '550 no such mailbox' }) });
    expect(await faultOf(other.url)).toMatchObject({ reason: 'refused' });
  });

  test('for the content of an email is treated as temporary', async () => {
    const server = await serve({ refuse: () => ({ at: 'data', reply: '554 5.6.0 looks like spam' }) });
    const fault = await faultOf(server.url);
    expect(fault).not.toBeInstanceOf(Undeliverable);
    expect(fault.message).toContain('looks like spam');
  });

  test('of the connection is temporary', async () => {
    const server = await startMailServer();
    await server.close();
    const fault = await faultOf(server.url);
    expect(fault).toMatchObject({ reason: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });

  test.each([
    ['the greeting', 'refused', (line: string) => (line === '' ? '554 no service here' : '221 bye')],
    ['EHLO', 'refused', (line: string) => (line === '' ? '220 hello' : '550 go away')],
    ['STARTTLS', 'refused', startTls('454 TLS is not available')],
    ['MAIL FROM', 'refused', afterEhlo((line) => (line.startsWith('MAIL') ? '550 5.1.1 no such sender' : '250 ok'))],
    ['the end of the data', 'unreachable', afterEhlo((line) => (line === '.' ? undefined : '250 ok'))],
  ])('at %s is temporary: %s', async (_, reason, reply) => {
    const server = await serveLines(reply);
    expect(await faultOf(server.url)).toMatchObject({ name: 'MailFailure', reason });
  });

  test.each([
    ['before the greeting', () => undefined],
    ['during the transfer', (socket: Socket) => void socket.write('220 hello\r\n')],
  ])(
    'a server that hangs %s does not delay work beyond the signal, and leaves no open connection',
    async (_, greet) => {
      const sockets: Socket[] = [];
      const arrived = Promise.withResolvers<void>();
      const hanging: Server = createServer((socket) => {
        sockets.push(socket.on('error', () => undefined));
        greet(socket);
        arrived.resolve();
      });
      await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
      servers.push({ close: () => new Promise((resolve) => hanging.close(resolve)) });
      const stop = new AbortController();
      const { port } = hanging.address() as { port: number };
      const fault = faultOf(`smtp://127.0.0.1:${port}`, stop.signal);
      await arrived.promise;
      stop.abort();
      expect((await fault).message).not.toBe('the email was sent');
      const [socket] = sockets;
      await new Promise<void>((resolve) => (socket?.closed ? resolve() : socket?.resume().once('close', resolve)));
    },
  );
});
