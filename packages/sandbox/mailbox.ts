import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

type ReceivedMail = ReadMail & { to: string };

/** Starts a mail server on a free port of 127.0.0.1. It passes each email to `receive` and delivers nothing. */
export async function startMailbox(receive: (mail: ReceivedMail) => void) {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onData(stream, { envelope }, done) {
      const take = async () => receive({ ...readMail(await text(stream)), to: envelope.rcptTo[0]?.address ?? '' });
      take().then(() => done(), done);
    },
  });
  // Clients may abort their connections.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((closed) => server.close(closed)),
  };
}

/** A parsed email: header values by lower-case name, and the text and HTML parts. */
export type ReadMail = { headers: Readonly<Record<string, string>>; text: string; html: string };
type Entity = { headers: Record<string, string>; body: string };

function entityOf(raw: string): Entity {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: Object.fromEntries(headers), body: raw.slice(end + 4) };
}

function decoded({ headers, body }: Entity): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

export function readMail(raw: string): ReadMail {
  const { headers, body } = entityOf(raw);
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => entityOf(part.replace(/^\r\n/, '')));
  const partOf = (type: string) => {
    const part = parts.find(({ headers: own }) => own['content-type']?.startsWith(type));
    return part ? decoded(part).replaceAll('\r\n', '\n').trimEnd() : '';
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}
