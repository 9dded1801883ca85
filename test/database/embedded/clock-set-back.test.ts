import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { PortStream } from '#database/embedded/port-stream';

test('a clock that is set back by months results in no delay above a day', async () => {
  const aheadMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./clock-worker.ts', import.meta.url), {
    workerData: { at: 'memory://', loadDataDir: undefined, socketPath: undefined, aheadMs },
  });
  onTestFinished(() => void worker.terminate());
  const longDelay = new Promise<number>((resolve) => {
    worker.on('message', ({ kind, ms }: { kind: string; ms: number }) => {
      if (kind === 'delay' && ms > HOUR) resolve(ms);
    });
  });
  await once(worker, 'message');
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ kind: 'client', port: port2 }, [port2]);
  const stream = () => new PortStream(async () => port1);
  const client = new pg.Client({ stream, ssl: false, password: '' });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SET statement_timeout = 100');
  // After a write, the engine waits for ten seconds to write its statistics. The next statement has an earlier timeout.
  await client.query('CREATE TABLE written (id int)');
  aheadMs[0] = -60 * DAY;
  await client.query('INSERT INTO written VALUES (1)');
  expect(await longDelay).toBe(DAY);
});
