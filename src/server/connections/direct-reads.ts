import { Socket } from 'node:net';

/** Undocumented parts of a connection, as in Node 20 to 26. */
type Handle = { useUserBuffer?: (buffer: Buffer) => void; _consumed?: boolean };
type Parser = { consume?: (handle: Handle) => void; _consumed?: boolean };
type Internals = { _handle?: Handle | null; parser?: Parser | null };

const symbols = new Map(Object.getOwnPropertySymbols(new Socket()).map((symbol) => [symbol.description, symbol]));
const BUFFER = symbols.get('kBuffer');
const ON_READ = symbols.get('kBufferCb');

const internalsOf = (socket: Socket): Internals => socket as unknown as Internals;

/**
 * Reads a connection into a buffer, and calls `onRead` with the number of bytes. `onRead` returns whether to continue.
 * Call this before Node's HTTP server receives the connection. If Node lacks a part for this, Node's parser reads the
 * connection.
 */
export function readDirectly(socket: Socket, buffer: Buffer, onRead: (this: Socket, size: number) => boolean): void {
  const { _handle: handle } = internalsOf(socket);
  if (BUFFER === undefined || ON_READ === undefined || !handle?.useUserBuffer) return;
  // Otherwise, the parser would read the connection.
  handle._consumed = true;
  handle.useUserBuffer(buffer);
  Object.assign(socket, { [BUFFER]: buffer, [ON_READ]: onRead });
}

/** Whether Node's HTTP server still owns the connection. A stream takes its connection away. */
export const hasParser = (socket: Socket): boolean => internalsOf(socket).parser != null;

/** Passes bytes to the parser. Returns whether it accepts more. `push` would continue to read a paused connection. */
export function passToParser(socket: Socket, bytes: Buffer): boolean {
  if (!hasParser(socket) || socket.readableFlowing !== true || socket.readableLength > 0) return socket.push(bytes);
  socket.emit('data', bytes);
  return !socket.isPaused();
}

/** Lets the parser read the connection from now on, unless it is paused or has not yet received all earlier bytes. */
export function leaveToParser(socket: Socket): void {
  const { parser, _handle: handle } = internalsOf(socket);
  if (!parser?.consume || !handle || socket.destroyed) return;
  if (socket.isPaused() || socket.readableLength > 0) return;
  parser._consumed = true;
  parser.consume(handle);
}
