import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { archiveOf, listFiles, unpackArchive } from '#database/archive';

// The files of a new database. Creating them at run time would use up to 970 MB, while the service needs 250 MB.

/** Correct from both `src/` and `build/`. If it is missing, PGlite initializes a new database itself. */
const TEMPLATE = fileURLToPath(new URL('../../../build/database/embedded/template.gz', import.meta.url));

export async function writeTemplate(file: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-template-'));
  try {
    await (await PGlite.create(directory)).close();
    const entries = await listFiles(directory);
    const archive = archiveOf(directory, { createdAt: new Date(0).toISOString(), entries });
    await pipeline(archive, createGzip(), createWriteStream(file));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Renames a temporary directory, so that the target is complete. Does nothing if the template is missing. */
export async function unpackTemplate(at: string, template = TEMPLATE): Promise<void> {
  if (existsSync(at) || !existsSync(template)) return;
  const partial = join(dirname(at), 'postgres.new');
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  await unpackArchive(template, partial, false);
  await rename(partial, at);
}
