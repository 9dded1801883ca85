import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHUNK = Buffer.alloc(4096);

function tryToMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'quotient-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]).status === 0;
  if (mounted) spawnSync('umount', [directory]);
  rmdirSync(directory);
  return mounted;
}

/** Whether a file system can be mounted here, which requires root and a permissive system. */
export const canMount = tryToMount();

if (!canMount) console.log('No file system can be mounted here: the tests of a full disk are skipped.');

/** Mounts a file system of `megabytes` MB in a directory. */
export async function mountSmallDisk(directory: string, megabytes: number) {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  return {
    /** Leaves `free` bytes. */
    async fill(free = 0): Promise<void> {
      const file = await open(join(directory, 'filling'), 'w');
      try {
        const { bavail, bsize } = await statfs(directory);
        for (let left = bavail * bsize - free; free === 0 || left > 0; left -= CHUNK.length) await file.write(CHUNK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(join(directory, 'filling')),
    makeReadOnly: () => run('mount', ['-o', 'remount,ro', directory]),
    unmount: () => run('umount', [directory]),
  };
}
