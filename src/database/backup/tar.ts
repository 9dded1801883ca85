export type Entry = { name: string; size: number; isDirectory: boolean };

/** The message is appended to the archive's name. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
}

const BLOCK = 512;
/** Two empty blocks mark the end of a complete archive. */
export const END = Buffer.alloc(2 * BLOCK);
export const paddingOf = (size: number) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
const sumOf = (header: Buffer) => header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0);

/** The header block of an entry (POSIX.1-1988, ustar). Throws if the name does not fit. */
export function headerOf({ name, size, isDirectory }: Entry): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(octal(isDirectory ? 0o700 : 0o600, 7), 100);
  header.write(octal(0, 7) + octal(0, 7), 108);
  header.write(octal(size, 11) + octal(0, 11), 124);
  header.write(isDirectory ? '5' : '0', 156);
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${octal(sumOf(header), 6)} `, 148);
  return header;
}

/** Returns undefined at the end of the archive. Throws `ArchiveFault` for an invalid header. */
function entryOf(header: Buffer): Entry | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const field = (from: number, length: number) => header.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const number = (from: number, length: number) => {
    const text = field(from, length).trim();
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  };
  const [name, size, kind] = [field(0, 100), number(124, 12), field(156, 1)];
  const isSound = number(148, 8) === sumOf(header) && Number.isSafeInteger(size) && /^[05]$/.test(kind);
  // Rejects names that lead out of the target directory.
  const isInside = /^[\w.-]+(\/[\w.-]+)*\/?$/.test(name) && !/(^|\/)\.\.?(\/|$)/.test(name);
  if (!isSound || !isInside) throw new ArchiveFault('is not a backup of the embedded database, or is damaged');
  return { name: name.replace(/\/$/, ''), size, isDirectory: kind === '5' };
}

/** Callers must read an entry's content before the next entry. Throws `ArchiveFault`. */
export async function* readArchive(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<{ entry: Entry; content: () => AsyncGenerator<Buffer> }> {
  const source = bytes[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function more(): Promise<void> {
    const { value, done } = await source.next();
    if (done) throw new ArchiveFault('is truncated');
    held = held.length === 0 ? value : Buffer.concat([held, value]);
  }
  async function* take(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (held.length === 0) await more();
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  const drop = async (size: number) => {
    for await (const _ of take(size));
  };

  for (;;) {
    while (held.length < BLOCK) await more();
    const entry = entryOf(held.subarray(0, BLOCK));
    held = held.subarray(BLOCK);
    if (!entry) {
      await drop(BLOCK);
      // Reads to the end, where the checksum of the compressed stream is verified.
      while (!(await source.next()).done);
      return;
    }
    let left = entry.size;
    async function* content(): AsyncGenerator<Buffer> {
      for await (const piece of take(left)) {
        left -= piece.length;
        yield piece;
      }
    }
    yield { entry, content };
    await drop(left + paddingOf(entry.size).length);
  }
}
