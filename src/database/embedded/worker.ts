import { parentPort, workerData } from 'node:worker_threads';
import { openEngine } from './engine.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { listenLocally, PortStream, serveClient } from './port-stream.ts';
import { createSession } from './session.ts';

// The embedded database's thread. It ends on request or at an unhandled error, after which the supervisor restarts it.

if (!parentPort) throw new Error('this file runs only as a thread of the service');
const owner = parentPort;
const { at, loadDataDir, socketPath } = workerData as WorkerData;
const say = (message: FromWorker) => owner.postMessage(message);

try {
  const engine = await openEngine(at, loadDataDir);
  const session = createSession(engine);
  const greeting = await session.greeting();
  const socket = socketPath === undefined ? undefined : await listenLocally(socketPath, serve);

  function serve(stream: Parameters<typeof serveClient>[0]): void {
    void serveClient(stream, session, greeting);
  }

  owner.on('message', async (message: ToWorker) => {
    if (message.kind === 'client') serve(new PortStream(message.port));
    if (message.kind === 'ping') say({ kind: 'pong' });
    if (message.kind !== 'close') return;
    await socket?.close();
    session.end();
    await engine.close();
    process.exit();
  });
  say({ kind: 'open' });
} catch (error) {
  say({ kind: 'failed', reason: (error as Error).message });
  process.exit();
}
