import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ReadMail, readMail } from './read-mail.ts';

/** A mail that came, and whom it was for. */
export type ReceivedMail = ReadMail & { to: string };

/** How the session of a client stands: what it has said of the mail that comes, and what has come of it. */
type Session = { to: string; data: string | undefined };

const REPLIES: Record<string, string> = {
  HELO: '250 sandbox',
  EHLO: '250 sandbox',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on, and end with a dot',
  RSET: '250 ok',
  NOOP: '250 ok',
  QUIT: '221 bye',
};

/**
 * Starts a server for mails (RFC 5321) on a free port of 127.0.0.1 that takes every mail and delivers none.
 * @param receive is told of each
 */
export async function startMailbox(receive: (mail: ReceivedMail) => void) {
  /** Answers a line of a client; nothing is said to the lines of a mail. */
  function answer(line: string, session: Session): string | undefined {
    if (session.data !== undefined) {
      if (line !== '.') {
        // A dot at the beginning of a line was doubled (RFC 5321, 4.5.2).
        session.data += `${line.replace(/^\./, '')}\r\n`;
        return undefined;
      }
      receive({ ...readMail(session.data), to: session.to });
      session.data = undefined;
      return '250 taken';
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'RCPT') session.to = /<(.*)>/.exec(line)?.[1] ?? '';
    if (verb === 'DATA') session.data = '';
    return REPLIES[verb] ?? '502 not known here';
  }

  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const session: Session = { to: '', data: undefined };
    let rest = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    socket.setEncoding('utf8').write('220 sandbox\r\n');
    socket.on('data', (piece: string) => {
      const lines = (rest + piece).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const reply = answer(line, session);
        if (reply !== undefined) socket.write(`${reply}\r\n`);
        if (reply === REPLIES.QUIT) socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
