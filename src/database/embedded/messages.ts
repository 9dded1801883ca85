import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

export type WorkerData = {
  at: string;
  loadDataDir: Blob | undefined;
  socketPath: string | undefined;
};

export type ToWorker = { kind: 'client'; port: MessagePort } | { kind: 'ping' } | { kind: 'close' };
export type FromWorker = { kind: 'open' } | { kind: 'failed'; reason: string } | { kind: 'pong' };

// PostgreSQL's frontend/backend protocol. A message's length includes the length field, but not the type byte.

const PROTOCOL_3 = 3;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const MAX_START_BYTES = 10_000;
const MAX_BATCH_BYTES = 2 ** 30;
const letters = (text: string) => new Set(Buffer.from(text));
/** Query, Sync, Flush and FunctionCall: the client waits for their response. */
const ENDS_BATCH = letters('QSHF');
const TERMINATE = letters('X');

/** Thrown when the connection ends, or when the client does not use the PostgreSQL protocol. */
export class ConnectionEnd extends Error {
  override readonly name = 'ConnectionEnd';
}

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
          if (done) throw new ConnectionEnd('the client has disconnected');
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

/** Reads the startup packet and declines encryption. Throws `ConnectionEnd` for other protocols and cancel requests. */
export async function readStart(input: ByteReader, decline: () => void): Promise<void> {
  for (;;) {
    const head = await input.take(8);
    const length = head.readUInt32BE(0);
    const code = head.readUInt32BE(4);
    if (length < 8 || length > MAX_START_BYTES) throw new ConnectionEnd('not a startup packet');
    await input.take(length - 8);
    if (code >>> 16 === PROTOCOL_3) return;
    if (code !== SSL_REQUEST && code !== GSS_REQUEST) throw new ConnectionEnd('an unsupported protocol');
    decline();
  }
}

/** Reads messages up to the next one that needs a response. Returns undefined if the client terminates. */
export async function readBatch(input: ByteReader): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const head = await input.take(5);
    const [letter = 0] = head;
    const length = head.readUInt32BE(1);
    size += length + 1;
    if (length < 4 || size > MAX_BATCH_BYTES) throw new ConnectionEnd('not a protocol message');
    if (TERMINATE.has(letter)) return undefined;
    parts.push(head, await input.take(length - 4));
    if (ENDS_BATCH.has(letter)) return Buffer.concat(parts);
  }
}

export const SYNC = Buffer.from('S\0\0\0\x04');

export function messageOf(letter: string, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.from(`${letter}\0\0\0\0`);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const queryMessage = (text: string): Buffer => messageOf('Q', `${text}\0`);

export function startMessage(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(PROTOCOL_3 << 16, 4);
  return Buffer.concat([head, body]);
}
