import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#core/clock';
import { every } from '#core/every';

/** The announced time for which a connection may be idle, in ms. Streams send comments more often. */
export const KEEP_ALIVE = 72 * SECOND;
/** The additional time for a request that is on its way, as in Node. */
const IN_TRANSIT = SECOND;
/** The maximum amount of unread data on all connections together, in bytes. */
const MAX_UNREAD = 128 * 1024 * 1024;
/** A client may read for this time (ms) plus the time that the data takes at this rate (bytes/s). */
const TIMEOUT = 30 * SECOND;
const MIN_RATE = 64 * 1024;

/** The bytes that a connection had read and written at the last check. Instants are in monotonic ms. */
type Watched = { read: number; written: number; idleSince: number; stalledSince: number };

type Options = {
  /** Whether no response is pending on a connection. */
  isIdle: (socket: Socket) => boolean;
  idleMs?: number;
};

/**
 * Cuts idle connections, connections whose clients read too slowly and, above the total limit, the connections that
 * waited longest.
 */
export function watchConnections(server: Server, { isIdle, idleMs = KEEP_ALIVE + IN_TRANSIT }: Options): void {
  const connections = new Map<Socket, Watched>();

  function check(): void {
    const now = performance.now();
    const slow: { socket: Socket; unread: number; since: number }[] = [];
    let held = 0;
    for (const [socket, watched] of connections) {
      if (socket.destroyed) {
        connections.delete(socket);
        continue;
      }
      const { bytesRead: read, bytesWritten: written, writableLength: unread } = socket;
      const hasWritten = written !== watched.written;
      // If another response was sent in the meantime, the client has read the previous response.
      if (unread === 0 || hasWritten) watched.stalledSince = now;
      if (unread > 0 || hasWritten || read !== watched.read || !isIdle(socket)) watched.idleSince = now;
      watched.read = read;
      watched.written = written;
      const isStalled = now - watched.stalledSince > TIMEOUT + (unread / MIN_RATE) * SECOND;
      if (isStalled || now - watched.idleSince >= idleMs) socket.destroy();
      else if (unread > 0) {
        held += unread;
        slow.push({ socket, unread, since: watched.stalledSince });
      }
    }
    if (held <= MAX_UNREAD) return;
    for (const { socket, unread } of slow.sort((a, b) => a.since - b.since)) {
      if (held <= MAX_UNREAD) return;
      held -= unread;
      socket.destroy();
    }
  }

  const checking = every(SECOND / 4, check, { isUnref: true });
  server.on('connection', (socket) => {
    // After each response, Node would start a timer for the idle connection, which takes a tenth of a call's CPU time.
    socket.setTimeout = () => socket;
    const now = performance.now();
    connections.set(socket, { read: 0, written: 0, idleSince: now, stalledSince: now });
  });
  server.once('close', () => void checking.close());
}
