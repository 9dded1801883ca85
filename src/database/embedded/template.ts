import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

// The files of a new database. Creating them at run time would use up to 970 MB, while the service needs 250 MB.

/** Resolves from both `src/` and `build/`. Without the template, PGlite initializes a new database itself. */
const TEMPLATE = new URL('../../../build/database/embedded/template.gz', import.meta.url);
/** A file or directory of the template. Directories have no size. */
type Entry = { path: string; size?: number };
const [pack, unpack] = [promisify(gzip), promisify(gunzip)];
const NEWLINE = 0x0a;

export async function writeTemplate(file: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-template-'));
  try {
    await (await PGlite.create(directory)).close();
    const entries: Entry[] = [];
    const parts: Buffer[] = [];
    for (const path of (await readdir(directory, { recursive: true })).sort()) {
      const isDirectory = (await stat(join(directory, path))).isDirectory();
      const bytes = isDirectory ? Buffer.alloc(0) : await readFile(join(directory, path));
      entries.push(isDirectory ? { path } : { path, size: bytes.length });
      parts.push(bytes);
    }
    await writeFile(file, await pack(Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...parts])));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Unpacks to a temporary directory and renames it, so that the target is complete. No-op without a template. */
export async function unpackTemplate(at: string, template = TEMPLATE): Promise<void> {
  if (existsSync(at) || !existsSync(template)) return;
  const partial = join(dirname(at), 'postgres.new');
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  const bytes = await unpack(await readFile(template));
  let offset = bytes.indexOf(NEWLINE) + 1;
  for (const { path, size } of JSON.parse(bytes.toString('utf8', 0, offset)) as Entry[]) {
    if (size === undefined) await mkdir(join(partial, path), { mode: 0o700 });
    else {
      await writeFile(join(partial, path), bytes.subarray(offset, offset + size), { mode: 0o600 });
      offset += size;
    }
  }
  await rename(partial, at);
}
