import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArchiveFault, END, headerOf, paddingOf, readArchive } from '#database/backup/tar';

type File = { name: string; content: Buffer };

const archiveOf = (files: readonly File[]) =>
  Buffer.concat([
    ...files.flatMap(({ name, content }) => [
      headerOf({ name, size: content.length, isDirectory: false }),
      content,
      paddingOf(content.length),
    ]),
    END,
  ]);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function filesOf(bytes: Buffer, pieces = 4_096): Promise<File[]> {
  const files: File[] = [];
  for await (const { entry, content } of readArchive(inPieces(bytes, pieces))) {
    const parts: Buffer[] = [];
    for await (const part of content()) parts.push(part);
    files.push({ name: entry.name, content: Buffer.concat(parts) });
  }
  return files;
}

const name = fc
  .array(fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/), { minLength: 1, maxLength: 4 })
  .filter((parts) => !parts.some((part) => /^\.\.?$/.test(part)))
  .map((parts) => parts.join('/'));
const file = fc.record({
  name,
  content: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
});

describe('an archive', () => {
  it('returns the files that were added to it, however its bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 5 }), fc.integer({ min: 1, max: 3_000 }), async (files, size) => {
        expect(await filesOf(archiveOf(files), size)).toEqual(files);
      }),
    );
  });

  it('is rejected if it is truncated anywhere', async () => {
    const bytes = archiveOf([{ name: 'postgres/a', content: Buffer.alloc(700, 1) }]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), async (length) => {
        await expect(filesOf(bytes.subarray(0, length))).rejects.toThrow(ArchiveFault);
      }),
    );
  });

  it.each(['../a', '/etc/passwd', 'postgres/../../a', 'a/./b', 'a\\b', 'a//b'])(
    'is rejected if it contains a file named %s',
    async (wrong) => {
      await expect(filesOf(archiveOf([{ name: wrong, content: Buffer.from('x') }]))).rejects.toThrow(ArchiveFault);
    },
  );

  it('is rejected if it contains a link or a changed header', async () => {
    const link = headerOf({ name: 'a', size: 0, isDirectory: false });
    link.write('2', 156);
    const sum = Number.parseInt(link.toString('latin1', 148, 154), 8) + 2;
    link.write(sum.toString(8).padStart(6, '0'), 148);
    await expect(filesOf(Buffer.concat([link, END]))).rejects.toThrow(ArchiveFault);
    const changed = archiveOf([{ name: 'a', content: Buffer.from('x') }]);
    changed.write('b', 0);
    await expect(filesOf(changed)).rejects.toThrow(ArchiveFault);
  });

  it('can be read by `tar`', () => {
    const block = { name: 'postgres/block', content: Buffer.alloc(512) };
    const bytes = archiveOf([block, { name: 'postgres/base/1', content: Buffer.from('one\n') }]);
    const { stdout } = spawnSync('tar', ['-xOf', '-', 'postgres/base/1'], { input: bytes });
    expect(stdout.toString()).toBe('one\n');
  });
});
