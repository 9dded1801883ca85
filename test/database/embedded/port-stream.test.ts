import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PortStream } from '#database/embedded/port-stream';

function pair() {
  const { port1, port2 } = new MessageChannel();
  return [new PortStream(port1), new PortStream(port2)] as const;
}

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
