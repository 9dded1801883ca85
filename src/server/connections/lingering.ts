import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#core/clock';
import { every } from '#core/every';

/** The maximum number of lingering connections. Above this number, the oldest is cut. */
const MAX_LINGERING = 256;

/**
 * Cuts connections `ms` after their last response, so that the client can read it (RFC 9112, 9.6). Their number is
 * limited: they are not read, so a client's disconnection goes unnoticed.
 */
export function createLingering(ms: number) {
  const lingering = new Set<() => void>();

  return function linger(socket: Socket): void {
    const cut = () => {
      lingering.delete(cut);
      socket.destroy();
    };
    const timer = setTimeout(cut, ms);
    socket.once('close', () => {
      clearTimeout(timer);
      lingering.delete(cut);
    });
    const [oldest] = lingering.size >= MAX_LINGERING ? lingering : [];
    oldest?.();
    lingering.add(cut);
  };
}

export type Linger = ReturnType<typeof createLingering>;

/** The maximum amount of unread data on all connections together, in bytes. */
const MAX_UNREAD = 128 * 1024 * 1024;
/** A client may read for this time (ms) plus the time that the data takes at this rate (bytes/s). */
const TIMEOUT = 30 * SECOND;
const MIN_RATE = 64 * 1024;

type Wait = { written: number; since: number };

/** Cuts connections whose clients read too slowly and, above the total limit, the connections that waited longest. */
export function limitUnread(server: Server): void {
  const sockets = new Map<Socket, Wait | undefined>();

  function check(): void {
    const now = performance.now();
    const slow: { socket: Socket; unread: number; since: number }[] = [];
    let held = 0;
    for (const [socket, before] of sockets) {
      if (socket.destroyed) {
        sockets.delete(socket);
        continue;
      }
      const { writableLength: unread, bytesWritten: written } = socket;
      // If another response was sent in the meantime, the client has read the previous response.
      const isSame = before?.written === written;
      const wait = unread === 0 ? undefined : isSame ? before : { written, since: now };
      if (wait !== before) sockets.set(socket, wait);
      if (wait === undefined) continue;
      if (now - wait.since > TIMEOUT + (unread / MIN_RATE) * SECOND) socket.destroy();
      else {
        held += unread;
        slow.push({ socket, unread, since: wait.since });
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
  server.on('connection', (socket) => void sockets.set(socket, undefined));
  server.once('close', () => void checking.close());
}
