import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PortStream } from '#database/embedded/port-stream';

function pair() {
  const { port1, port2 } = new MessageChannel();
  return [new PortStream(port1), new PortStream(port2)] as const;
}

test('each end reads the bytes that the other end writes, in order', async () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 70_000 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.boolean(), async (sent, isCorked) => {
      const [near, far] = pair();
      const size = sent.reduce((sum, { length }) => sum + length, 0);
      far.on('data', (chunk) => far.write(chunk));
      if (isCorked) near.cork();
      for (const chunk of sent) near.write(chunk);
      near.uncork();
      const back: Buffer[] = [];
      let got = 0;
      for await (const chunk of near) {
        back.push(chunk);
        got += chunk.length;
        if (got >= size) break;
      }
      expect(Buffer.concat(back)).toEqual(Buffer.concat(sent));
      far.destroy();
    }),
    { numRuns: 30 },
  );
});

test('a piece is sent only after the previous one was read', async () => {
  const [near, far] = pair();
  const piece = Buffer.alloc(64 * 1024);
  let written = 0;
  for (let i = 0; i < 5; i++) near.write(piece, () => (written += 1));
  await once(far, 'readable');
  await new Promise(setImmediate);
  expect(written).toBeLessThan(2);
  let size = 0;
  for await (const chunk of far) {
    size += chunk.length;
    if (size === 5 * piece.length) break;
  }
  expect(size).toBe(5 * piece.length);
  near.destroy();
});

test('destroying one end closes the other and completes pending writes', async () => {
  const [near, far] = pair();
  const piece = Buffer.alloc(1024 * 1024);
  const writes = [1, 2].map(() => new Promise((done) => near.write(piece, done)));
  const closed = once(near, 'close');
  far.destroy();
  await closed;
  await Promise.all(writes);
});

test('a failed connection emits an error', async () => {
  const refused = new PortStream(() => Promise.reject(new Error('no')));
  const received = once(refused, 'error');
  refused.connect();
  expect((await received)[0]).toMatchObject({ message: 'no' });
});
