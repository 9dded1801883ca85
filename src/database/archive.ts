import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/* A directory, compressed with gzip: a line of JSON that lists its files, then their contents. */

const FORMAT = 1;
/** The maximum size of the list of files, in bytes. A database of a terabyte has a list of about this size. */
const MAX_INDEX = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const BRACE = 0x7b;
/** Rejects paths that lead out of the target directory. */
const isInside = (path: string) => /^[\w.-]+(\/[\w.-]+)*$/.test(path) && !/(^|\/)\.\.?(\/|$)/.test(path);

/** Paths are relative to the archived directory. Directories have no size. */
type Entry = { path: string; size?: number };
export type Found = Entry & { mtimeMs: number };
type Index = { createdAt: string; entries: readonly Entry[] };

/** The message is appended to the archive's name. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
}

/** Lists a directory recursively, each directory before its contents. Omits files that are deleted meanwhile. */
export async function listFiles(root: string, at = ''): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) found.push({ path, mtimeMs: 0 }, ...(await listFiles(root, path)));
    else if (entry.isFile()) {
      const stats = await stat(join(root, path)).catch(unlessGone);
      if (stats) found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
    }
  }
  return found;
}

export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Yields the uncompressed archive of files. No process may write to the files. */
export async function* archiveOf(root: string, { createdAt, entries }: Index): AsyncGenerator<Buffer> {
  const listed = entries.map(({ path, size }) => ({ path, size }));
  yield Buffer.from(`${JSON.stringify({ format: FORMAT, createdAt, entries: listed })}\n`);
  for (const { path, size } of entries) if (size) yield* createReadStream(join(root, path), { end: size - 1 });
}

function readIndex(text: string): Index {
  let index: Partial<Record<keyof Index | 'format', unknown>>;
  try {
    index = Object(JSON.parse(text));
  } catch {
    throw new ArchiveFault('is not a backup of the embedded database');
  }
  const { format, createdAt, entries } = index;
  if (Number.isSafeInteger(format) && format !== FORMAT)
    throw new ArchiveFault(`has the format ${format}, but this release reads only format ${FORMAT}`);
  const isTime = typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt));
  if (format !== FORMAT || !isTime || !Array.isArray(entries) || !entries.every(isEntry))
    throw new ArchiveFault('is damaged: its list of files is invalid');
  return { createdAt, entries };
}

function isEntry(value: unknown): value is Entry {
  const { path, size }: Record<string, unknown> = Object(value);
  return (
    typeof path === 'string' &&
    isInside(path) &&
    (size === undefined || (Number.isSafeInteger(size) && Number(size) >= 0))
  );
}

/** Reads bytes that arrive in pieces. Throws `ArchiveFault` if they end too early. */
function createReader(bytes: AsyncIterable<Buffer>) {
  const source = bytes[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function more(): Promise<void> {
    const { value, done } = await source.next();
    if (done) throw new ArchiveFault('is truncated');
    held = held.length === 0 ? value : Buffer.concat([held, value]);
  }

  return {
    async index(): Promise<Index> {
      await more();
      while (held[0] === BRACE && !held.includes(NEWLINE) && held.length < MAX_INDEX) await more();
      const end = held.indexOf(NEWLINE) + 1;
      if (held[0] !== BRACE || end === 0) throw new ArchiveFault('is not a backup of the embedded database');
      const text = held.toString('utf8', 0, end);
      held = held.subarray(end);
      return readIndex(text);
    },

    async *take(size: number): AsyncGenerator<Buffer> {
      for (let left = size; left > 0; ) {
        if (held.length === 0) await more();
        const piece = held.subarray(0, left);
        held = held.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },

    /** Reads to the end. There, the checksum of the compressed stream is verified. */
    async end(): Promise<void> {
      if (held.length > 0 || !(await source.next()).done)
        throw new ArchiveFault('is damaged: it contains more than its files');
    },
  };
}

/**
 * Unpacks a file into a new directory, and returns the time of the archive. Throws `ArchiveFault`.
 * @param isDurable whether each file must survive a crash of the machine after this function has returned
 */
export async function unpackArchive(file: string, to: string, isDurable: boolean): Promise<string> {
  const bytes = createGunzip();
  // Passes errors of the file or its compression to the reader of `bytes`.
  pipeline(createReadStream(file), bytes).catch((error) => bytes.destroy(error));
  bytes.on('error', () => undefined);
  try {
    const reader = createReader(bytes);
    const { createdAt, entries } = await reader.index();
    for (const { path, size } of entries) {
      const place = join(to, path);
      await mkdir(size === undefined ? place : dirname(place), { recursive: true, mode: 0o700 });
      if (size === undefined) continue;
      const output = await open(place, 'wx', 0o600);
      try {
        for await (const piece of reader.take(size)) await output.writeFile(piece);
        if (isDurable) await output.sync();
      } finally {
        await output.close();
      }
    }
    await reader.end();
    return createdAt;
  } finally {
    bytes.destroy();
  }
}
