import type { Socket } from 'node:net';

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
