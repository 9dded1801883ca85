import type { Socket } from 'node:net';

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
