import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { ConnectionEnd, createByteReader, messageOf, readBatch, readStart } from './messages.ts';
import type { Client, Session } from './session.ts';

/** PostgreSQL clients look for a socket with this port in its name, in the directory given as the host. */
export const PORT = 5432;
const NAME = `.s.PGSQL.${PORT}`;
/** Less than the maximum length of a socket path, which is 108 bytes on Linux and 104 bytes elsewhere. */
const MAX_PATH_BYTES = 100;

/** The path of a directory's socket for other processes. Undefined on Windows and for long paths. */
export function socketPathOf(directory: string): string | undefined {
  const path = join(resolve(directory), NAME);
  return process.platform === 'win32' || Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path;
}

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

/** Replaces a stale socket: this process has the lock. Returns undefined if sockets are not supported. */
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

const EVICTED = messageOf(
  'E',
  'SFATAL\0VFATAL\0C25P03\0Mterminating connection due to idle-in-transaction timeout\0\0',
);

/** Responses are written in pieces of this size, so that the reader's event loop can run between pieces. */
const PIECE = 64 * 1024;

type Serving = { session: Session; greeting: Buffer; isTrusted: boolean };

/** There is no password, so any client that can open the stream has full access. `greeting` is the first response. */
export async function serveClient(stream: Duplex, { session, greeting, isTrusted }: Serving): Promise<void> {
  const input = createByteReader(stream);
  const client: Client = { isTrusted, onEvicted: () => stream.end(EVICTED, () => stream.destroy()) };
  try {
    await readStart(input, () => stream.write('N'));
    stream.write(greeting);
    for (let batch = await readBatch(input); batch; batch = await readBatch(input)) {
      await write(stream, await session.run(client, batch));
    }
  } catch (error) {
    // Any other error comes from the engine and ends the thread.
    if (!(error instanceof ConnectionEnd) && !stream.destroyed) throw error;
  } finally {
    stream.destroy();
    await session.leave(client);
  }
}

async function write(stream: Duplex, response: Buffer): Promise<void> {
  for (let at = 0; at < response.length; at += PIECE) {
    await new Promise((done) => stream.write(response.subarray(at, at + PIECE), done));
  }
}

/** Bytes, or null when the receiver has consumed the last message and is ready for more. */
type Message = Uint8Array<ArrayBuffer> | null;

/** Each piece waits until the receiver has consumed the previous one: a `MessageChannel` has no flow control. */
export class PortStream extends Duplex {
  readonly #open: (() => Promise<MessagePort>) | undefined;
  #port: MessagePort | undefined;
  #taken: (() => void) | undefined;
  #isOwed = false;

  /** @param port the port, or a function that `connect` calls to get it */
  constructor(port: MessagePort | (() => Promise<MessagePort>)) {
    super({ allowHalfOpen: false });
    if (typeof port === 'function') this.#open = port;
    else this.#attach(port);
  }

  /** Like a socket, emits `connect` or is destroyed with the reason. */
  connect(): this {
    this.#open?.().then(
      (port) => {
        if (this.destroyed) return port.close();
        this.#attach(port);
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#port?.ref();
    return this;
  }

  unref(): this {
    this.#port?.unref();
    return this;
  }

  override _read(): void {
    if (!this.#isOwed) return;
    this.#isOwed = false;
    this.#port?.postMessage(null);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port?.close();
    this.#finishWrite(); // Otherwise, the pending write would never complete.
    done(error);
  }

  #send(chunks: Buffer[], done: () => void): void {
    // Transfers a copy, because transferring a slice would transfer the whole underlying buffer.
    const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#taken = done;
    this.#port?.postMessage(bytes, [bytes.buffer]);
  }

  #finishWrite(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  #attach(port: MessagePort): void {
    this.#port = port;
    port.on('message', (message: Message) => {
      if (message === null) {
        this.#finishWrite();
        return;
      }
      this.#isOwed = true;
      this.push(message);
    });
    port.on('close', () => this.destroy());
  }
}
