import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { createLoopTurns } from '#server/connections/loop-turns';
import { connectionName } from '#server/connections/send-queues';

export type StreamFigures = { open: number; events: number; conflated: number; cut: number };
export const newStreamFigures = (): StreamFigures => ({ open: 0, events: 0, conflated: 0, cut: 0 });

/** Headers of every stream. `no-transform` and `X-Accel-Buffering` ask proxies not to compress and not to buffer. */
const FIELDS = Object.entries({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}).flat();
const COMMENT = Buffer.from(':\n\n');
/** The maximum number of bytes that a client may send after its request. They are discarded. */
const MAX_RECEIVED = 64 * 1024;

/** An event in the format of the HTML standard (9.2.6). `data` must not contain line breaks. */
export const eventBytes = (event: string, data: string, id?: string): Buffer =>
  Buffer.from(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);

/** Writes the head of a stream. `own` contains the fields of this response only. */
export function writeStreamHead(response: ServerResponse, own: readonly string[]): void {
  // The body ends with the connection, so that all streams can write the same bytes without a frame for each chunk.
  response.shouldKeepAlive = false;
  response.removeHeader('transfer-encoding');
  response.writeHead(200, [...FIELDS, ...own]);
}

type Options = { figures: StreamFigures; turns: ReturnType<typeof createLoopTurns>; onClose: () => void };

const ignore = () => undefined;

/**
 * Writes events to a connection while its socket accepts data, with at most one waiting event per subject. Writes take
 * turns, because writing a price to thousands of streams would block the event loop. A class, so that streams share its
 * methods.
 */
export class EventStream {
  readonly #socket: Socket;
  readonly #figures: StreamFigures;
  readonly #turns: Options['turns'];
  readonly #name: string;
  readonly #waiting = new Map<string, Buffer>();
  #received = 0;
  /** Whether the stream waits for its turn. */
  #isDue = false;
  #isEnded = false;

  constructor(socket: Socket, { figures, turns, onClose }: Options) {
    this.#socket = socket;
    this.#figures = figures;
    this.#turns = turns;
    this.#name = connectionName(socket);
    socket.on('drain', this.#flush);
    // A write to a disconnected client fails, and `close` follows.
    socket.on('error', ignore);
    socket.on('end', () => this.end());
    socket.once('close', () => {
      this.#end();
      onClose();
    });
    // The connection is read, because otherwise it would not report that the client has disconnected.
    socket.on('data', ({ length }: Buffer) => this.#discard(length)).resume();
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sends the newest event of a subject. This event replaces an event that still waits. */
  put(subject: string, bytes: Buffer): void {
    if (this.#isEnded) return;
    if (this.#waiting.has(subject)) this.#figures.conflated += 1;
    this.#waiting.set(subject, bytes);
    if (this.#isDue || this.#socket.writableNeedDrain) return;
    this.#isDue = true;
    this.#turns.wait(this.#flush);
  }

  /** Keeps proxies from closing the connection. A reader that accepts no data gets no comment. */
  comment(): void {
    if (!this.#isEnded && !this.#socket.writableNeedDrain) this.#socket.write(COMMENT);
  }

  /** Drops waiting events, sends a final event, and ends the connection. */
  end(last?: Buffer): void {
    if (this.#isEnded) return;
    this.#end();
    if (last !== undefined) this.#socket.write(last);
    this.#socket.destroySoon();
  }

  /** The number of bytes that the socket has accepted, and how many of them the client has not acknowledged. */
  progress(queues: ReadonlyMap<string, number>): { taken: number; outstanding: number } {
    const { bytesWritten: taken, writableLength } = this.#socket;
    return { taken, outstanding: writableLength + (queues.get(this.#name) ?? 0) };
  }

  cut(): void {
    this.#figures.cut += 1;
    this.close();
  }

  /** Closes the connection, and discards the events that the client has not read. */
  close(): void {
    this.#socket.destroy();
  }

  readonly #flush = (): void => {
    this.#isDue = false;
    const socket = this.#socket;
    const waiting = this.#waiting;
    // Several events are then written in one system call.
    if (waiting.size > 1) socket.cork();
    for (const [subject, bytes] of waiting) {
      if (socket.writableNeedDrain) break;
      waiting.delete(subject);
      this.#figures.events += 1;
      socket.write(bytes);
    }
    socket.uncork();
  };

  #end(): void {
    this.#isEnded = true;
    this.#waiting.clear();
  }

  #discard(length: number): void {
    this.#received += length;
    if (this.#received > MAX_RECEIVED) this.close();
  }
}
