import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** What the thread of the embedded database is started with. */
export type WorkerData = {
  /** Where the database is; `memory://` for nowhere. */
  at: string;
  /** A dumped data directory to begin with. */
  loadDataDir: Blob | undefined;
  /** Where to listen for clients of other processes. */
  socketPath: string | undefined;
};

/** What the process says to the thread: a client comes, are you there, or stop. */
export type ToWorker = { kind: 'client'; port: MessagePort } | { kind: 'ping' } | { kind: 'close' };

/** What the thread says: it is open, it cannot be opened, it is there. */
export type FromWorker = { kind: 'open' } | { kind: 'failed'; reason: string } | { kind: 'pong' };

/*
 * What a client sends (PostgreSQL's documentation, "Frontend/Backend Protocol"): first a packet of a length and a code,
 * then messages of a letter and a length, which counts itself and not the letter.
 */

const PROTOCOL_3 = 3;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const LONGEST_START = 10_000;
/** PostgreSQL itself takes no more in one message. */
const LONGEST = 2 ** 30;

const letters = (text: string) => new Set(Buffer.from(text));
/** Query, Sync, Flush, FunctionCall: what has to be answered before the client goes on. */
const ENDS_BATCH = letters('QSHF');
const TERMINATE = letters('X');

/** A connection that ended, or that does not speak the protocol. */
export class ConnectionEnd extends Error {
  override readonly name = 'ConnectionEnd';
}

/** Takes so many bytes at a time from a stream; throws `ConnectionEnd` when it ends before. */
export function createByteReader(stream: Readable) {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);

  return {
    async take(size: number): Promise<Buffer> {
      if (held.length < size) {
        const parts = [held];
        let total = held.length;
        while (total < size) {
          const { value, done } = await chunks.next();
          if (done) throw new ConnectionEnd('the client is gone');
          parts.push(value);
          total += value.length;
        }
        held = Buffer.concat(parts, total);
      }
      const taken = held.subarray(0, size);
      held = held.subarray(size);
      return taken;
    },
  };
}

type ByteReader = ReturnType<typeof createByteReader>;

/**
 * Reads what a client begins with. Encryption is declined, and may be asked for first.
 * @param decline says so to the client
 * @throws ConnectionEnd for another protocol, and for a request to cancel, which nobody can do here
 */
export async function readStart(input: ByteReader, decline: () => void): Promise<void> {
  for (;;) {
    const head = await input.take(8);
    const [length, code] = [head.readUInt32BE(0), head.readUInt32BE(4)];
    if (length < 8 || length > LONGEST_START) throw new ConnectionEnd('not a start of the protocol');
    await input.take(length - 8);
    if (code >>> 16 === PROTOCOL_3) return;
    if (code !== SSL_REQUEST && code !== GSS_REQUEST) throw new ConnectionEnd('another protocol');
    decline();
  }
}

/** The messages up to one that has to be answered, as they came; undefined when the client says goodbye. */
export async function readBatch(input: ByteReader): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const head = await input.take(5);
    const [letter = 0] = head;
    const length = head.readUInt32BE(1);
    size += length + 1;
    if (length < 4 || size > LONGEST) throw new ConnectionEnd('not a message of the protocol');
    if (TERMINATE.has(letter)) return undefined;
    parts.push(head, await input.take(length - 4));
    if (ENDS_BATCH.has(letter)) return Buffer.concat(parts);
  }
}

export const SYNC = Buffer.from('S\0\0\0\x04');

/** A message of either end: its letter, its length, and a text. */
export function messageOf(letter: string, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.from(`${letter}\0\0\0\0`);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The message of a statement without arguments. */
export const queryMessage = (text: string): Buffer => messageOf('Q', `${text}\0`);

/** The packet that a session begins with. */
export function startMessage(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(PROTOCOL_3 << 16, 4);
  return Buffer.concat([head, body]);
}
