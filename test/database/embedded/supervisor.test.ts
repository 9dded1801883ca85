import pg from 'pg';
import { expect, test } from 'vitest';
import { PortStream } from '#database/embedded/port-stream';
import { startSupervisor } from '#database/embedded/supervisor';

test('ends a hanging thread that it supervises', async () => {
  let received: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    received = resolve;
  });
  const data = { at: 'memory://', loadDataDir: undefined, socketPath: undefined };
  const supervisor = await startSupervisor(data, { onEnd: received, pingMs: 20 });
  const client = new pg.Client({
    stream: () => new PortStream(supervisor.connect),
    ssl: false,
    password: '',
  });
  client.on('error', () => undefined);
  await client.connect();
  const hanging = client.query('SELECT count(*) FROM generate_series(1, 1e15)');
  const failed = expect(hanging).rejects.toThrow('Connection terminated unexpectedly');
  supervisor.guard();
  expect(await ended).toBe('the thread does not respond');
  await failed;
  // An in-memory database cannot be restored.
  await expect(supervisor.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await supervisor.close();
});
