import { createReadStream, createWriteStream } from 'node:fs';
import { constants, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { POSTGRES } from '#database/embedded/data-directory';
import { openSession } from '#database/session';
import { END, headerOf, paddingOf } from './tar.ts';

export const MANIFEST = 'quotient-backup.json';
export type Manifest = { format: 1; createdAt: string; files: number; bytes: number };
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts']);
type Found = { path: string; size: number; mtimeMs: number; isDirectory: boolean };
/** The coarsest resolution of file timestamps, in ms. A write to an older file always changes its timestamp. */
const MTIME_MS = 2_000;

async function filesBelow(root: string, at = ''): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) {
      found.push({ path, size: 0, mtimeMs: 0, isDirectory: true }, ...(await filesBelow(root, path)));
    } else if (entry.isFile() && !LEFT_OUT.has(entry.name)) {
      // The file may have been deleted since the directory was read.
      const { size, mtimeMs } = (await stat(join(root, path)).catch(unlessGone)) ?? {};
      if (size !== undefined && mtimeMs !== undefined) found.push({ path, size, mtimeMs, isDirectory: false });
    }
  }
  return found;
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function copyFiles(root: string, to: string, found: readonly Found[]): Promise<void> {
  for (const { path, isDirectory } of found) {
    if (isDirectory) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    else await copyFile(join(root, path), join(to, path), constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

/** Copies most files while statements run, and the rest while they are blocked. Returns the blocked time in ms. */
async function copyStill(dataDir: string, to: string, elapsed: () => number): Promise<number> {
  const { session, close } = await openSession({ dataDir }, true);
  const root = join(dataDir, POSTGRES);
  try {
    // Reduces the log to replay and the files to copy again.
    await session.exec('CHECKPOINT');
    const before = await filesBelow(root);
    await copyFiles(root, to, before);

    await session.exec('BEGIN');
    const from = elapsed();
    const now = new Map((await filesBelow(root)).map((file) => [file.path, file]));
    const known = new Map(before.map((file) => [file.path, file]));
    const newest = Math.max(...before.map(({ mtimeMs }) => mtimeMs));
    const isSame = ({ path, size, mtimeMs }: Found) => {
      const file = known.get(path);
      return file?.size === size && file.mtimeMs === mtimeMs && mtimeMs < newest - MTIME_MS;
    };
    await copyFiles(
      root,
      to,
      [...now.values()].filter((file) => !isSame(file)),
    );
    // Fails if this session was ended: other sessions may then have written.
    await session.exec('SELECT 1');
    const waited = elapsed() - from;
    await session.exec('ROLLBACK');
    for (const { path } of before) if (!now.has(path)) await rm(join(to, path), { recursive: true, force: true });
    return waited;
  } finally {
    await close().catch(() => undefined);
  }
}

async function* archive(root: string, createdAt: string): AsyncGenerator<Buffer> {
  const found = await filesBelow(root);
  const files = found.filter(({ isDirectory }) => !isDirectory);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const manifest: Manifest = { format: 1, createdAt, files: files.length, bytes };
  const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
  yield headerOf({ name: MANIFEST, size: text.length, isDirectory: false });
  yield text;
  yield paddingOf(text.length);
  for (const { path, size, isDirectory } of found) {
    yield headerOf({ name: `${POSTGRES}/${path}`, size, isDirectory });
    if (isDirectory) continue;
    yield* createReadStream(join(root, path));
    yield paddingOf(size);
  }
  yield END;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  // Some file systems cannot sync a directory.
  await directory.sync().catch(() => undefined);
  await directory.close();
}

/** Writes the file completely or not at all. Returns its size in bytes and how long statements were blocked, in ms. */
export async function writeBackup(
  dataDir: string,
  file: string,
  { createdAt, elapsed }: { createdAt: string; elapsed: () => number },
) {
  const name = `.${basename(file)}.${process.pid}`;
  const [copy, unfinished] = ['copy', 'partial'].map((end) => join(dirname(file), `${name}.${end}`)) as [
    string,
    string,
  ];
  try {
    await mkdir(copy, { mode: 0o700 });
    const waited = await copyStill(dataDir, copy, elapsed);
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    await pipeline(archive(copy, createdAt), createGzip({ level: 3 }), output);
    const { size } = await stat(unfinished);
    await rename(unfinished, file);
    await syncDirectory(dirname(file));
    return { size, waited };
  } finally {
    await rm(copy, { recursive: true, force: true });
    await rm(unfinished, { force: true });
  }
}
