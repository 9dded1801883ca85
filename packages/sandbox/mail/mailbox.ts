import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './read-mail.ts';

/** A mail that came, and whom it was for. */
export type ReceivedMail = ReadMail & { to: string };

/** Starts a mail server on a free port of 127.0.0.1 that delivers nothing and calls `receive` with each mail. */
export async function startMailbox(receive: (mail: ReceivedMail) => void) {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onData(stream, { envelope }, done) {
      const take = async () =>
        receive({ ...readMail(await text(stream)), to: envelope.rcptTo[0]?.address ?? '' });
      take().then(() => done(), done);
    },
  });
  // A client that breaks off is no concern of the demo.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((closed) => server.close(closed)),
  };
}
