import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { lockDirectory, POSTGRES } from '#database/embedded/data-directory';
import { openSession } from '#database/session';
import { MANIFEST, type Manifest } from './backup.ts';
import { ArchiveFault, readArchive } from './tar.ts';

/** The directory where a backup is unpacked and tested. It remains after an interrupted restore. */
const TRIAL = '.restoring';
/** A directory that contains only lock files has never held a database. */
const isNothing = (name: string) => name === TRIAL || /^lock([.-].*)?$/.test(name);

async function unpack(file: string, to: string): Promise<Manifest> {
  const bytes = createGunzip();
  // Passes errors of the file or its compression to the reader of `bytes`.
  pipeline(createReadStream(file), bytes).catch((error) => bytes.destroy(error));
  let manifest: Manifest | undefined;
  const counts = { files: 0, bytes: 0 };
  bytes.on('error', () => undefined);
  for await (const { entry, content } of readArchive(bytes)) {
    if (entry.name === MANIFEST && !entry.isDirectory) {
      manifest = JSON.parse(await text(content())) as Manifest;
      continue;
    }
    if (!entry.name.startsWith(`${POSTGRES}/`)) continue;
    const path = join(to, entry.name);
    await mkdir(entry.isDirectory ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (entry.isDirectory) continue;
    const output = createWriteStream(path, { mode: 0o600, flush: true });
    await pipeline(Readable.from(content()), output);
    counts.files += 1;
    counts.bytes += entry.size;
  }
  if (manifest?.format !== 1) throw new ArchiveFault('is not a backup of the embedded database');
  if (manifest.files !== counts.files || manifest.bytes !== counts.bytes)
    throw new ArchiveFault('is damaged: files are missing');
  return manifest;
}

/** Opens the unpacked database. Throws if the log is broken or the database belongs to another application. */
async function tryOut(dataDir: string): Promise<{ users: number }> {
  const { session, close } = await openSession({ dataDir });
  try {
    const { rows } = await session.query<{ users: number }>('SELECT count(*)::float8 AS users FROM public."user"');
    return { users: rows[0]?.users ?? 0 };
  } finally {
    await close();
  }
}

/** Restores into an empty or missing directory. Throws `ArchiveFault`, `DIRECTORY_IN_USE` or `NOT_EMPTY`. */
export async function restoreBackup(file: string, dataDir: string) {
  await mkdir(dataDir, { recursive: true });
  const lock = lockDirectory(dataDir);
  const trial = join(dataDir, TRIAL);
  try {
    const other = (await readdir(dataDir)).find((name) => !isNothing(name));
    if (other !== undefined)
      throw Object.assign(new Error(`${dataDir} is not empty: it contains ${other}`), { code: 'NOT_EMPTY' });
    await rm(trial, { recursive: true, force: true });
    const { createdAt } = await unpack(file, trial);
    const { users } = await tryOut(trial);
    await rename(join(trial, POSTGRES), join(dataDir, POSTGRES));
    return { createdAt, users };
  } finally {
    await rm(trial, { recursive: true, force: true });
    lock.release();
  }
}
