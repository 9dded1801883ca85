import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import type { Clock } from '#domain/clock';
import { lockDirectory } from './directory-lock.ts';
import { PORT, socketPathOf } from './embedded/local-socket.ts';
import { PortStream } from './embedded/port-stream.ts';
import { startSupervisor } from './embedded/supervisor.ts';
import { COMMON, openPool } from './pool.ts';

/** Whatever the environment says of a server (`PGHOST`, `PGSSLMODE`) is not about this one. */
const CONFIG: pg.ClientConfig = {
  ...COMMON,
  host: 'embedded',
  user: 'postgres',
  database: 'postgres',
  password: '',
  ssl: false,
};

type Options = {
  dataDir: string;
  clock: Clock;
  poolSize: number;
  isShared?: boolean | undefined;
  loadDataDir?: Blob;
  statementMs?: number | undefined;
  onEnd?: ((reason: string) => void) | undefined;
};

/** PostgreSQL in a thread of this process, brought up to this release's migrations. Throws as `openDatabase` tells. */
export async function openEmbedded(options: Options) {
  const { dataDir, isShared = false } = options;
  const inMemory = dataDir.startsWith('memory://');
  if (inMemory) return openHere(options, dataDir, () => undefined);
  await makeWritable(dataDir);
  let lock: { release(): void };
  try {
    lock = lockDirectory(dataDir);
  } catch (error) {
    if (!isShared || (error as NodeJS.ErrnoException).code !== 'DIRECTORY_IN_USE') throw error;
    return openThrough(options, error as Error);
  }
  return openHere(options, join(dataDir, 'postgres'), lock.release);
}

/** @param release what to do when it is closed, or cannot be opened */
async function openHere(
  { dataDir, clock, poolSize, loadDataDir, statementMs, onEnd }: Options,
  at: string,
  release: () => void,
) {
  let supervisor: Awaited<ReturnType<typeof startSupervisor>> | undefined;
  const close = () => (supervisor?.close() ?? Promise.resolve()).finally(release);
  try {
    const socketPath = at === dataDir ? undefined : socketPathOf(dataDir);
    const thread = await startThread({ at, loadDataDir, socketPath }, onEnd);
    supervisor = thread;
    const config = { ...CONFIG, stream: () => new PortStream(thread.connect) };
    const name = `the embedded database in ${at}`;
    const pool = await openPool({ config, clock, poolSize, statementMs, name });
    if (statementMs !== undefined) thread.guard();
    return { kind: 'embedded' as const, ...pool, close: () => pool.close().finally(close) };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

async function startThread(...[data, onEnd]: Parameters<typeof startSupervisor>) {
  try {
    return await startSupervisor(data, onEnd);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the embedded database in ${data.at} cannot be opened: ${message}`, { cause });
  }
}

/**
 * The database of a directory that another process has, through that process.
 * @param inUse what to throw where it lets nobody in
 */
async function openThrough({ dataDir, clock, poolSize, statementMs }: Options, inUse: Error) {
  const config = { ...CONFIG, host: resolve(dataDir), port: PORT };
  const name = `the embedded database in ${dataDir}`;
  const pool = await openPool({ config, clock, poolSize, statementMs, name }).catch((error: Error) => {
    throw (error as NodeJS.ErrnoException).code === 'UNREACHABLE' ? inUse : error;
  });
  return { kind: 'embedded' as const, ...pool };
}

async function makeWritable(directory: string) {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    throw new Error(`the data directory ${directory} cannot be created or written: ${code ?? message}`, {
      cause,
    });
  }
}
