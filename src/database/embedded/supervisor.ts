import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { SECOND } from '#core/clock';
import { isInMemory } from './data-directory.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';

/** Beside this file, compiled or not. */
const FILE = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** JavaScript's own part of the thread's memory, in MB: what passes through, since the engine's is not counted. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/** Between two attempts to start it again, in ms: twice as long each time. */
const RETRY = { first: SECOND / 4, longest: 5 * SECOND };

/** How often the thread is asked whether it is there, in ms, and after how many times without an answer it is not. */
const PING = 10 * SECOND;
const UNANSWERED = 6;

/** How long it may take to stop, in ms. */
const STOP = 10 * SECOND;

/**
 * Starts the thread of the embedded database, and starts it again when it ends without having been told to.
 * @param onEnd told of each end that was not asked for
 * @param pingMs how often it is asked whether it is there
 * @throws an Error with the reason when it cannot be opened the first time
 */
export async function startSupervisor(
  { loadDataDir, ...data }: WorkerData,
  { onEnd, pingMs = PING }: { onEnd?: ((reason: string) => void) | undefined; pingMs?: number } = {},
) {
  let isClosing = false;
  let isGuarded = false;
  let current: Promise<Worker> = Promise.resolve(watch(await launch({ ...data, loadDataDir })));

  function watch(worker: Worker): Worker {
    let reason = 'it ended';
    let unanswered = 0;
    const pinging = setInterval(() => {
      if (!isGuarded) return;
      unanswered += 1;
      if (unanswered > UNANSWERED) {
        reason = 'it does not answer';
        void worker.terminate();
      } else tell(worker, { kind: 'ping' });
    }, pingMs).unref();
    worker.on('message', ({ kind }: FromWorker) => {
      if (kind === 'pong') unanswered = 0;
    });
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.once('exit', () => {
      clearInterval(pinging);
      if (isClosing) return;
      current = again();
      current.catch(() => undefined);
      onEnd?.(reason);
    });
    return worker;
  }

  async function again(): Promise<Worker> {
    // What was in memory alone is gone.
    if (isInMemory(data.at)) throw gone();
    for (let pause = RETRY.first; !isClosing; pause = Math.min(2 * pause, RETRY.longest)) {
      try {
        return watch(await launch({ ...data, loadDataDir: undefined }));
      } catch {
        await wait(pause, undefined, { ref: false });
      }
    }
    throw gone();
  }

  return {
    /** A client's way to the database, as soon as it is there. */
    async connect(): Promise<MessagePort> {
      const worker = await current;
      const { port1, port2 } = new MessageChannel();
      tell(worker, { kind: 'client', port: port2 }, [port2]);
      return port1;
    },

    /**
     * From now on a thread that does not answer for a minute is ended: nothing interrupts the engine, so a statement that
     * hangs would keep it for ever. Migrations may take longer.
     */
    guard(): void {
      isGuarded = true;
    },

    /** Has it write all that it holds, and ends it. */
    async close(): Promise<void> {
      isClosing = true;
      const worker = await current.catch(() => undefined);
      if (!worker || worker.threadId < 0) return;
      const exited = once(worker, 'exit');
      tell(worker, { kind: 'close' });
      const late = setTimeout(() => void worker.terminate(), STOP);
      await exited;
      clearTimeout(late);
    },
  };
}

const tell = (worker: Worker, message: ToWorker, moved: MessagePort[] = []) => worker.postMessage(message, moved);

const gone = () => Object.assign(new Error('the embedded database has ended'), { code: 'ECONNREFUSED' as const });

/** A thread whose database is open. Throws an Error with the reason when it cannot be. */
async function launch(data: WorkerData): Promise<Worker> {
  // What Node was told for the process (`--input-type`) may be of no use to a file.
  const options = { workerData: data, resourceLimits: HEAP, execArgv: [], name: 'database' };
  const worker = new Worker(FILE, options);
  try {
    const [message] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => [{ kind: 'failed', reason: 'its thread ended' }]),
    ])) as [FromWorker];
    if (message.kind === 'failed') throw new Error(message.reason);
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}
