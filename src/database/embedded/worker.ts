import type { Duplex } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { DAY } from '#core/clock';
import { toError } from '#core/errors';
import { requiredParameters } from '#database/connection/parameters';
import { isInMemory } from './data-directory.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { listenLocally, PortStream, serveClient } from './port-stream.ts';
import { createSession } from './session.ts';
import { unpackTemplate } from './template.ts';

// The embedded database's thread. The thread ends on request or after an unhandled error. The supervisor restarts it.

/** File errors that the operator can fix, by WASI error number and by Node error code. */
const FILE_ERRORS: Record<number | string, string> = {
  2: 'permission denied',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
};

/** PGlite never releases its memory. After a crash, it replays the log since the last checkpoint (see README). */
const SETTINGS = { shared_buffers: '16MB', max_wal_size: '64MB', min_wal_size: '32MB', ...requiredParameters() };

/** Collects the reason why the engine does not start, because the engine's exception does not contain it. */
function createReason() {
  const texts: string[] = [];
  return {
    read(line: string): boolean {
      const [, text] = / (?:FATAL|PANIC|DETAIL): +(.*)/.exec(line) ?? [];
      if (text !== undefined) texts.push(text);
      return false;
    },
    text: () => (texts.length > 0 ? texts.join(': ') : undefined),
  };
}

async function openEngine(at: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  const reported = createReason();
  try {
    if (!isInMemory(at) && !loadDataDir) await unpackTemplate(at);
    const startParams = [
      ...PGlite.defaultStartParams,
      ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    return await PGlite.create(at, { startParams, onStderr: reported.read, ...(loadDataDir && { loadDataDir }) });
  } catch (cause) {
    // For a failed file operation, WebAssembly throws only an error number.
    const { message, code, errno }: { message?: string; code?: string; errno?: number } = Object(cause);
    const fileError = FILE_ERRORS[code ?? ''] ?? FILE_ERRORS[errno ?? ''];
    const reason =
      fileError ?? reported.text() ?? message ?? (errno === undefined ? String(cause) : `file error ${errno}`);
    throw new Error(reason, { cause });
  }
}

/**
 * Limits the delays of this thread's `setTimeout` to a day, because a delay above 24.8 days overflows and fires at
 * once. Only for libraries whose callbacks check after a day whether they are due.
 */
function boundTimeouts(): void {
  const { setTimeout } = globalThis;
  const bounded = (work: () => void, ms?: number, ...values: []) =>
    setTimeout(work, ms === undefined ? ms : Math.min(ms, DAY), ...values);
  globalThis.setTimeout = Object.assign(bounded, setTimeout) as typeof setTimeout;
}

if (!parentPort) throw new Error('this file runs only as a thread of the service');
// The engine computes its timer's delay from the wall clock, which may be set back by a month.
boundTimeouts();
const owner = parentPort;
const { at, loadDataDir, socketPath } = workerData as WorkerData;
const say = (message: FromWorker) => owner.postMessage(message);

try {
  const engine = await openEngine(at, loadDataDir);
  const session = createSession(engine);
  const greeting = await session.greeting();
  const serve = (stream: Duplex, isTrusted: boolean) => void serveClient(stream, { session, greeting, isTrusted });
  const socket =
    socketPath === undefined ? undefined : await listenLocally(socketPath, (stream) => serve(stream, false));

  owner.on('message', async (message: ToWorker) => {
    if (message.kind === 'client') serve(new PortStream(message.port), true);
    if (message.kind === 'ping') say({ kind: 'pong' });
    if (message.kind !== 'close') return;
    await socket?.close();
    session.end();
    await engine.close();
    process.exit();
  });
  say({ kind: 'open' });
} catch (error) {
  say({ kind: 'failed', reason: toError(error).message });
  process.exit();
}
