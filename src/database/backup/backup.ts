import { createWriteStream } from 'node:fs';
import { constants, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { archiveOf, type Found, listFiles, unlessGone } from '#database/archive';
import { POSTGRES } from '#database/embedded/data-directory';
import { openSession } from '#database/session';

const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts']);
type Options = { createdAt: string; elapsed: () => number; signal?: AbortSignal };
/** The coarsest resolution of file timestamps, in ms. A write to an older file always changes its timestamp. */
const MTIME_MS = 2_000;

const listDatabase = async (root: string) => (await listFiles(root)).filter(({ path }) => !LEFT_OUT.has(path));

type Copy = { root: string; to: string; signal: AbortSignal | undefined };

async function copyFiles({ root, to, signal }: Copy, found: readonly Found[]): Promise<void> {
  for (const { path, size } of found) {
    signal?.throwIfAborted();
    if (size === undefined) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    else await copyFile(join(root, path), join(to, path), constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

/** Copies most files while statements run, and the rest while they are blocked. Returns the blocked time in ms. */
async function copyStill(dataDir: string, to: string, { elapsed, signal }: Options): Promise<number> {
  const { session, close } = await openSession({ dataDir }, true);
  const root = join(dataDir, POSTGRES);
  const copy = { root, to, signal };
  try {
    // This reduces the log that must be replayed, and the number of files that must be copied again.
    await session.exec('CHECKPOINT');
    const before = await listDatabase(root);
    await copyFiles(copy, before);

    await session.exec('BEGIN');
    const from = elapsed();
    const now = new Map((await listDatabase(root)).map((file) => [file.path, file]));
    const earlierByPath = new Map(before.map((file) => [file.path, file]));
    const newest = Math.max(...before.map(({ mtimeMs }) => mtimeMs));
    const isSame = ({ path, size, mtimeMs }: Found) => {
      const file = earlierByPath.get(path);
      return file !== undefined && file.size === size && file.mtimeMs === mtimeMs && mtimeMs < newest - MTIME_MS;
    };
    await copyFiles(
      copy,
      [...now.values()].filter((file) => !isSame(file)),
    );
    // This fails if the session was ended. Other sessions may then have written.
    await session.exec('SELECT 1');
    const waited = elapsed() - from;
    await session.exec('ROLLBACK');
    for (const { path } of before) if (!now.has(path)) await rm(join(to, path), { recursive: true, force: true });
    return waited;
  } finally {
    await close().catch(() => undefined);
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  // Some file systems cannot sync a directory.
  await directory.sync().catch(() => undefined);
  await directory.close();
}

/**
 * Writes the file either completely or not at all. Returns its size in bytes and how long statements were blocked, in
 * ms. If the signal aborts, deletes the copy of the database and throws.
 */
export async function writeBackup(dataDir: string, file: string, options: Options) {
  const name = `.${basename(file)}.${process.pid}`;
  const copy = join(dirname(file), `${name}.copy`);
  const unfinished = join(dirname(file), `${name}.partial`);
  try {
    await mkdir(copy, { mode: 0o700 });
    const waited = await copyStill(dataDir, copy, options);
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    const { createdAt, signal } = options;
    const archive = archiveOf(copy, { createdAt, entries: await listFiles(copy) });
    await pipeline(archive, createGzip({ level: 3 }), output, { ...(signal && { signal }) });
    const { size } = await stat(unfinished);
    await rename(unfinished, file);
    await syncDirectory(dirname(file));
    return { size, waited };
  } finally {
    await rm(copy, { recursive: true, force: true });
    await rm(unfinished, { force: true });
  }
}
