import { connect } from 'node:net';
import { firstResponse, type RawResponse } from '../../../fixtures/raw-response.ts';

/**
 * Opens a connection that sends bytes unchanged, even if they are invalid.
 * @param isRead whether received data is read
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
    /** Sends data. Discards it if the connection is no longer writable. */
    send(...chunks: (string | Buffer)[]): void {
      for (const chunk of chunks) if (socket.writable) socket.write(chunk);
    },
    /** The next response. Undefined if the service closes the connection before the response is complete. */
    async readResponse(): Promise<RawResponse | undefined> {
      for (;;) {
        const found = firstResponse(received);
        if (found) {
          received = received.subarray(found.length);
          return found.response;
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
    /** Resolves when the service has closed the connection. */
    ended: new Promise<void>((resolve) => {
      socket.once('end', resolve).once('close', () => resolve());
    }),
    close: (): void => void socket.destroy(),
  };
}

export type RawConnection = ReturnType<typeof openRaw>;
