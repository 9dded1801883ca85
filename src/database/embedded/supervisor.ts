import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { SECOND } from '#core/clock';
import { every } from '#core/every';
import { isInMemory } from './data-directory.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';

const FILE = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** The thread's JavaScript heap in MB, without the engine's own memory. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** The delay between restart attempts, in ms. It doubles up to `max`. */
const RETRY = { first: SECOND / 4, max: 5 * SECOND };
/** The interval between pings in ms, and the number of unanswered pings that end the thread. */
const PING_INTERVAL = 10 * SECOND;
const MAX_UNANSWERED = 6;
const STOP = 10 * SECOND;

/** Restarts the thread when it ends unexpectedly, and calls `onEnd`. Throws if the first start fails. */
export async function startSupervisor(
  { loadDataDir, ...data }: WorkerData,
  { onEnd, pingMs = PING_INTERVAL }: { onEnd?: ((reason: string) => void) | undefined; pingMs?: number } = {},
) {
  let isClosing = false;
  let isGuarded = false;
  let current: Promise<Worker> = Promise.resolve(watch(await launch({ ...data, loadDataDir })));

  function watch(worker: Worker): Worker {
    let reason = 'the thread ended';
    let unanswered = 0;
    const ping = () => {
      if (!isGuarded) return;
      unanswered += 1;
      if (unanswered > MAX_UNANSWERED) {
        reason = 'the thread does not respond';
        void worker.terminate();
      } else post(worker, { kind: 'ping' });
    };
    const pinging = every(pingMs, ping, { isUnref: true });
    worker.on('message', ({ kind }: FromWorker) => {
      if (kind === 'pong') unanswered = 0;
    });
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.once('exit', () => {
      void pinging.close();
      if (isClosing) return;
      current = again();
      current.catch(() => undefined);
      onEnd?.(reason);
    });
    return worker;
  }

  async function again(): Promise<Worker> {
    // An in-memory database is lost with its thread.
    if (isInMemory(data.at)) throw gone();
    for (let pause = RETRY.first; !isClosing; pause = Math.min(2 * pause, RETRY.max)) {
      try {
        return watch(await launch({ ...data, loadDataDir: undefined }));
      } catch {
        await wait(pause, undefined, { ref: false });
      }
    }
    throw gone();
  }

  return {
    async connect(): Promise<MessagePort> {
      const worker = await current;
      const { port1, port2 } = new MessageChannel();
      post(worker, { kind: 'client', port: port2 }, [port2]);
      return port1;
    },

    /** From now on, ends a thread that does not respond for a minute. Migrations may take longer. */
    guard(): void {
      isGuarded = true;
    },

    async close(): Promise<void> {
      isClosing = true;
      const worker = await current.catch(() => undefined);
      if (!worker || worker.threadId < 0) return;
      const exited = once(worker, 'exit');
      post(worker, { kind: 'close' });
      const late = setTimeout(() => void worker.terminate(), STOP);
      await exited;
      clearTimeout(late);
    },
  };
}

const post = (worker: Worker, message: ToWorker, moved: MessagePort[] = []) => worker.postMessage(message, moved);
const gone = () => Object.assign(new Error('the embedded database has ended'), { code: 'ECONNREFUSED' as const });

/** Resolves when the thread has opened the database. Otherwise, rejects with an Error that contains the reason. */
async function launch(data: WorkerData): Promise<Worker> {
  // The process's own Node flags, such as `--input-type`, may be invalid for a thread.
  const options = { workerData: data, resourceLimits: HEAP, execArgv: [], name: 'database' };
  const worker = new Worker(FILE, options);
  try {
    const [message] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => [{ kind: 'failed', reason: 'the thread ended' }]),
    ])) as [FromWorker];
    if (message.kind === 'failed') throw new Error(message.reason);
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}
