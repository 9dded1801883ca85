import type { ServerResponse } from 'node:http';
import type { createLoopTurns } from '#server/connections/loop-turns';
import { connectionName } from '#server/connections/send-queues';

/** Counts of all streams of a process. */
export type StreamFigures = { open: number; events: number; conflated: number; cut: number };
export const newStreamFigures = (): StreamFigures => ({ open: 0, events: 0, conflated: 0, cut: 0 });

/** Headers of every stream. `no-transform` and `X-Accel-Buffering` ask proxies not to compress and not to buffer. */
const FIELDS = [
  ...['content-type', 'text/event-stream'],
  ...['cache-control', 'no-cache, no-transform'],
  ...['x-accel-buffering', 'no'],
];
const COMMENT = Buffer.from(':\n\n');

/** An event in the format of the HTML standard (9.2.6). `data` must not contain line breaks. */
export const eventBytes = (event: string, data: string, id?: string): Buffer =>
  Buffer.from(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);

/** Node keeps the text of a head here. The property is not public, so its type is checked. */
type WithHeader = { _header?: unknown };

/** Drops the text of a head that is sent: a rope of forty strings, which would stay in memory as long as the stream. */
function dropHead(response: ServerResponse): void {
  const sent = response as WithHeader;
  if (response.headersSent && typeof sent._header === 'string') sent._header = 'sent';
}

/** Writes the head of a stream. `own` contains the fields of this response only. */
export function writeStreamHead(response: ServerResponse, own: readonly string[]): void {
  // The end of the connection ends the body, so that all streams write the same bytes, without a frame for each chunk.
  response.shouldKeepAlive = false;
  response.removeHeader('transfer-encoding');
  response.writeHead(200, [...FIELDS, ...own]);
}

type Options = { figures: StreamFigures; turns: ReturnType<typeof createLoopTurns> };

/**
 * Writes events to a response whose head is written. Holds at most one waiting event per subject, and writes only while
 * the socket accepts data, so a slow reader costs no more memory than a fast one and receives the newest events. Writes
 * take turns, since a price that thousands of streams contain would block the event loop otherwise.
 */
export function createEventStream(response: ServerResponse, { figures, turns }: Options) {
  const waiting = new Map<string, Buffer>();
  let accepts = true;
  let isEnded = false;

  function flush(): void {
    for (const [subject, bytes] of waiting) {
      if (!accepts || isEnded) return;
      waiting.delete(subject);
      figures.events += 1;
      accepts = response.write(bytes);
    }
  }
  response.on('drain', () => {
    accepts = true;
    flush();
  });
  // A write to a client that has disconnected fails; `close` follows.
  response.on('error', () => undefined);
  response.once('close', () => {
    isEnded = true;
    waiting.clear();
    turns.leave(flush);
  });

  function write(bytes: Buffer | string): void {
    if (accepts && !isEnded) accepts = response.write(bytes);
  }
  const name = connectionName(response.socket as NonNullable<typeof response.socket>);

  return {
    isEnded: (): boolean => isEnded,

    /** Sends the newest event of a subject. It replaces an event that still waits. */
    put(subject: string, bytes: Buffer): void {
      if (isEnded) return;
      if (waiting.has(subject)) figures.conflated += 1;
      waiting.set(subject, bytes);
      if (accepts) turns.wait(flush);
    },

    /** Tells the client how long to wait before it connects again, in ms. */
    retryAfter(ms: number): void {
      write(`retry: ${ms}\n\n`);
      dropHead(response);
    },
    /** Keeps proxies from closing the connection. A reader that accepts no data gets no comment. */
    comment: (): void => write(COMMENT),

    /** Drops waiting events, sends a last one, and ends the response. */
    end(last?: Buffer): void {
      if (isEnded) return;
      isEnded = true;
      waiting.clear();
      response.end(last);
    },

    /** The bytes that the socket has taken, and those of them that the client has not acknowledged. */
    progress(queues: ReadonlyMap<string, number>): { taken: number; outstanding: number } {
      const { bytesWritten: taken = 0, writableLength = 0 } = response.socket ?? {};
      return { taken, outstanding: writableLength + (queues.get(name) ?? 0) };
    },

    cut(): void {
      figures.cut += 1;
      response.destroy();
    },
  };
}

export type EventStream = ReturnType<typeof createEventStream>;
