import { connect, type Socket } from 'node:net';
import { firstResponse, type RawResponse } from '../../../fixtures/raw-response.ts';

/**
 * Sends raw bytes, one request at a time on a connection. If the server closes the connection, a new one is opened.
 * `close` closes it.
 */
export function openConnection(url: string) {
  const { hostname, port } = new URL(url);
  let open: Socket | undefined;

  async function connected(): Promise<Socket> {
    if (open && !open.destroyed && !open.readableEnded) return open;
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.on('error', () => {}); // `close` follows
    open = socket;
    return socket;
  }

  return {
    /**
     * Sends one request and returns the response. It is not an error if the server stops reading. Rejects if the server
     * disconnects before it has responded.
     * @param isHead whether the response has no body, whatever its Content-Length
     */
    async send(chunks: readonly (string | Buffer)[], { isHead = false } = {}): Promise<RawResponse> {
      const socket = await connected();
      return new Promise((resolve, reject) => {
        let received = Buffer.alloc(0);
        const onData = (data: Buffer) => {
          received = Buffer.concat([received, data]);
          const response = firstResponse(received, isHead)?.response;
          if (response) settle(() => resolve(response), response.headers.connection === 'close');
        };
        const onClose = () =>
          settle(() => reject(new Error(`disconnected after ${received.length} bytes: ${received}`)), true);
        const settle = (end: () => void, last: boolean) => {
          socket.off('data', onData).off('close', onClose);
          if (last) socket.destroy();
          end();
        };
        socket.on('data', onData).on('close', onClose);
        for (const chunk of chunks) socket.write(chunk);
      });
    },
    close: () => open?.destroy(),
  };
}

/** Sends one request on a separate connection. */
export async function exchange(url: string, ...chunks: (string | Buffer)[]): Promise<RawResponse> {
  const connection = openConnection(url);
  try {
    return await connection.send(chunks);
  } finally {
    connection.close();
  }
}
