import type { Duplex } from 'node:stream';
import { ConnectionEnd, createByteReader, messageOf, readBatch, readStart } from './frontend-messages.ts';
import type { Client, Session } from './session.ts';

/** PostgreSQL's own code and words. */
const EVICTED = messageOf(
  'E',
  'SFATAL\0VFATAL\0C25P03\0Mterminating connection due to idle-in-transaction timeout\0\0',
);

/** Answers are written in pieces of this size, so that whoever reads them has a turn of its loop between two. */
const PIECE = 64 * 1024;

/**
 * Speaks PostgreSQL's protocol with a client until either end is closed. There is no password: who can open the stream
 * may do everything.
 * @param greeting what a client is told at its beginning
 */
export async function serveClient(stream: Duplex, session: Session, greeting: Buffer): Promise<void> {
  const input = createByteReader(stream);
  const client: Client = { onEvicted: () => stream.end(EVICTED, () => stream.destroy()) };
  try {
    await readStart(input, () => stream.write('N'));
    stream.write(greeting);
    for (let batch = await readBatch(input); batch; batch = await readBatch(input)) {
      await write(stream, await session.run(client, batch));
    }
  } catch (error) {
    // What is not of the connection is of the engine, and ends the thread.
    if (!(error instanceof ConnectionEnd) && !stream.destroyed) throw error;
  } finally {
    stream.destroy();
    await session.leave(client);
  }
}

async function write(stream: Duplex, answer: Buffer): Promise<void> {
  for (let at = 0; at < answer.length; at += PIECE) {
    await new Promise((done) => stream.write(answer.subarray(at, at + PIECE), done));
  }
}
