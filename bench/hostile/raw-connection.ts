import { connect } from 'node:net';

/** `code` is that of the problem, where the answer is one. */
export type RawAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  code: string | undefined;
};

/** The first answer in some bytes, once all of it is there, and how long it is. One in chunks keeps their marks. */
function firstAnswer(received: Buffer): { answer: RawAnswer; length: number } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const last = headers['transfer-encoding'] === 'chunked' ? received.indexOf('0\r\n\r\n', end) : undefined;
  if (last === -1) return undefined;
  const length = last === undefined ? end + 4 + Number(headers['content-length'] ?? 0) : last + 5;
  if (received.length < length) return undefined;
  const body = received.subarray(end + 4, length).toString();
  const status = Number(statusLine.split(' ')[1]);
  return { answer: { status, headers, body, code: /"code":"(\w+)"/.exec(body)?.[1] }, length };
}

/**
 * One connection on which bytes are sent as they are, sound or not; answers are parted by their Content-Length.
 * @param isRead whether what comes is read at all
 */
export function openRaw(url: string, { isRead = true } = {}) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.on('error', () => undefined); // `close` follows
  let received = Buffer.alloc(0);
  if (isRead) {
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
    });
  }

  return {
    /** What the other side does not want to read any more is no error. */
    send(...chunks: (string | Buffer)[]): void {
      for (const chunk of chunks) if (socket.writable) socket.write(chunk);
    },
    /** The next answer; undefined when the other side hangs up before it is whole. */
    async answer(): Promise<RawAnswer | undefined> {
      for (;;) {
        const found = firstAnswer(received);
        if (found) {
          received = received.subarray(found.length);
          return found.answer;
        }
        if (socket.closed || socket.readableEnded) return undefined;
        await new Promise<void>((resolve) => {
          const go = () => {
            socket.off('data', go).off('end', go).off('close', go);
            resolve();
          };
          socket.on('data', go).on('end', go).on('close', go);
        });
      }
    },
    isOpen: (): boolean => !socket.closed && !socket.readableEnded,
    /** Resolves when the other side has ended it. */
    ended: new Promise<void>((resolve) => {
      socket.once('end', resolve).once('close', () => resolve());
    }),
    close: (): void => void socket.destroy(),
  };
}

export type RawConnection = ReturnType<typeof openRaw>;
