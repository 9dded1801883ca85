import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';

/** The name that PostgreSQL's clients look for in a directory that is given to them as the host. */
export const PORT = 5432;
const NAME = `.s.PGSQL.${PORT}`;

/** A socket's name can be no longer: 108 bytes on Linux, 104 elsewhere. */
const LONGEST = 100;

/** Where clients of other processes find the database of a directory; undefined where there can be no such place. */
export function socketPathOf(directory: string): string | undefined {
  const path = join(resolve(directory), NAME);
  return process.platform === 'win32' || Buffer.byteLength(path) > LONGEST ? undefined : path;
}

/** Whether the process that has a directory lets clients of others in. */
export async function isListening(directory: string): Promise<boolean> {
  const path = socketPathOf(directory);
  if (path === undefined) return false;
  const socket = connect(path);
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isThere;
}

/**
 * Listens for clients of other processes of this user. The directory has been taken for this process, so what is there
 * already was left by one that was killed. Undefined where the file system has no sockets: then there are no such clients.
 */
export async function listenLocally(path: string, serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  try {
    await rm(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    await chmod(path, 0o600);
  } catch {
    server.close();
    return undefined;
  }
  return {
    async close(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
