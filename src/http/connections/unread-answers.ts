import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#domain/clock';

/** What all connections may hold for callers who do not read, in bytes. */
const UNREAD = 128 * 1024 * 1024;
/** How long a caller may take to read: so many ms, and the time that this rate takes, in bytes a second. */
const PATIENCE = 30 * SECOND;
const LEAST_RATE = 64 * 1024;

type Wait = { written: number; since: number };

/**
 * Cuts connections whose callers do not read what they asked for: too slowly, or, where all of them hold too much, those
 * that have waited longest.
 */
export function limitUnread(server: Server, { unread = UNREAD, patience = PATIENCE } = {}): void {
  const sockets = new Map<Socket, Wait | undefined>();

  function look(): void {
    const now = performance.now();
    const slow: { socket: Socket; since: number }[] = [];
    let held = 0;
    for (const [socket, before] of sockets) {
      const waiting = socket.writableLength;
      if (waiting === 0) {
        if (before) sockets.set(socket, undefined);
        continue;
      }
      const written = socket.bytesWritten;
      // Another answer went out on it meanwhile: the one before was read.
      const wait = before?.written === written ? before : { written, since: now };
      if (wait !== before) sockets.set(socket, wait);
      if (now - wait.since > patience + (waiting / LEAST_RATE) * SECOND) {
        socket.destroy();
        continue;
      }
      held += waiting;
      slow.push({ socket, since: wait.since });
    }
    if (held <= unread) return;
    slow.sort((a, b) => a.since - b.since);
    for (const { socket } of slow) {
      if (held <= unread) return;
      held -= socket.writableLength;
      socket.destroy();
    }
  }

  const looking = setInterval(look, SECOND / 4).unref();
  server.on('connection', (socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.once('close', () => clearInterval(looking));
}
