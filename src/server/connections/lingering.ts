import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#core/clock';

/** Connections that may linger at once; beyond them the one that did so longest is cut. */
const MOST = 256;

/**
 * Connections whose last answer is given are cut a moment later, so that it can be read (RFC 9112, 9.6). They are not
 * read meanwhile, and so do not notice that the other side has gone: a bound holds how many there are.
 * @param ms how long one may linger
 */
export function createLingering(ms: number) {
  /** What cuts each, the oldest first. */
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
    const [oldest] = lingering.size >= MOST ? lingering : [];
    oldest?.();
    lingering.add(cut);
  };
}

export type Linger = ReturnType<typeof createLingering>;

/** The most that all connections may hold for callers who do not read, in bytes. */
const MAX_UNREAD = 128 * 1024 * 1024;
/** How long a caller may take to read: so many ms, and the time that this rate takes, in bytes a second. */
const TIMEOUT = 30 * SECOND;
const LEAST_RATE = 64 * 1024;

type Wait = { written: number; since: number };

/**
 * Cuts connections whose callers do not read what they asked for: too slowly, or, where all of them hold too much, those
 * that have waited longest.
 */
export function limitUnread(server: Server): void {
  const sockets = new Map<Socket, Wait | undefined>();

  function check(): void {
    const now = performance.now();
    const slow: { socket: Socket; unread: number; since: number }[] = [];
    let held = 0;
    for (const [socket, before] of sockets) {
      const { writableLength: unread, bytesWritten: written } = socket;
      // Another answer went out on it meanwhile: the one before was read.
      const isSame = before?.written === written;
      const wait = unread === 0 ? undefined : isSame ? before : { written, since: now };
      if (wait !== before) sockets.set(socket, wait);
      if (wait === undefined) continue;
      if (now - wait.since > TIMEOUT + (unread / LEAST_RATE) * SECOND) socket.destroy();
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

  const timer = setInterval(check, SECOND / 4).unref();
  server.on('connection', (socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.once('close', () => clearInterval(timer));
}
