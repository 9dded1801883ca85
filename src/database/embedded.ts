import { join, resolve } from 'node:path';
import { toError } from '#core/errors';
import {
  DIRECTORY_REFUSALS,
  isInMemory,
  lockDirectory,
  makeWritable,
  POSTGRES,
} from '#database/embedded/data-directory';
import { isListening, PORT, PortStream, socketPathOf } from '#database/embedded/port-stream';
import { startSupervisor } from '#database/embedded/supervisor';
import { COMMON, type Reach } from './connection/client.ts';
import { requiredParameters } from './connection/parameters.ts';

/** Overrides environment variables that are meant for a server, such as `PGHOST` and `PGSSLMODE`. */
const CONFIG: Reach = {
  ...COMMON,
  parameters: requiredParameters(),
  isPrepared: true,
  startup: { hasOptions: true },
  host: 'embedded',
  user: 'postgres',
  database: 'postgres',
  password: '',
  ssl: false,
};

export type EmbeddedPlace = {
  /** The directory, which is locked for this process. `memory://` stores nothing. */
  dataDir: string;
  /** Whether to connect through another process that uses the directory. */
  isShared?: boolean | undefined;
  /** A dumped data directory with which an in-memory database starts. */
  loadDataDir?: Blob | undefined;
  /** Called when the thread ends unexpectedly; the thread is restarted. */
  onEnd?: ((reason: string) => void) | undefined;
};

/** If `isShared`, connects through the process that uses the directory, if any. `guard` ends a thread that hangs. */
export async function reachEmbedded(place: EmbeddedPlace) {
  const { dataDir, isShared = false } = place;
  if (isInMemory(dataDir)) return startHere(place, dataDir, () => undefined);
  await makeWritable(dataDir);
  let lock: { release(): void };
  try {
    lock = lockDirectory(dataDir);
  } catch (error) {
    // Through the running service, root can use the database of another user.
    const isRefused = DIRECTORY_REFUSALS.includes(String(toError(error).code));
    if (!isRefused || !isShared || !(await isListening(dataDir))) throw error;
    const config = { ...CONFIG, host: resolve(dataDir), port: PORT };
    return { config, isShared: true, guard: () => undefined, close: async () => undefined };
  }
  return startHere(place, join(dataDir, POSTGRES), lock.release);
}

async function startHere({ dataDir, loadDataDir, onEnd }: EmbeddedPlace, at: string, release: () => void) {
  try {
    const socketPath = at === dataDir ? undefined : socketPathOf(dataDir);
    const thread = await startSupervisor({ at, loadDataDir, socketPath }, { onEnd });
    const config: Reach = { ...CONFIG, stream: () => new PortStream(thread.connect) };
    const close = () => thread.close().finally(release);
    return { config, isShared: false, guard: thread.guard, close };
  } catch (cause) {
    release();
    throw new Error(`the embedded database in ${at} cannot be opened: ${toError(cause).message}`, { cause });
  }
}
