import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { canMount, mountSmallDisk } from '../support/database/small-disk.ts';
import { spawnService } from '../support/service/service-process.ts';

// Each test starts a process, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quotient-'));
});
afterEach(() => rm(directory, { recursive: true }));

it('reports in one line that the data directory is a file', async () => {
  const file = join(directory, 'data');
  await writeFile(file, '');
  const service = spawnService({ DATA_DIR: file });
  expect(await service.exited).toEqual([1, null]);
  expect(service.lines).toEqual([`the data directory ${file} cannot be created or written: EEXIST`]);
});

describe.runIf(canMount)('on a separate disk', () => {
  it('reports in one line that the disk is full, at the start or later', async () => {
    const disk = await mountSmallDisk(directory, 24);
    try {
      const service = spawnService({ DATA_DIR: join(directory, 'data') });
      expect(await service.exited).toEqual([1, null]);
      expect(service.lines).toHaveLength(1);
      expect(service.lines[0]).toMatch(/data.* cannot be opened: no space left on the disk$/);
      await disk.fill();
      const again = spawnService({ DATA_DIR: join(directory, 'more') });
      expect(await again.exited).toEqual([1, null]);
      expect(again.lines).toHaveLength(1);
      expect(again.lines[0]).toMatch(/more.* cannot be .*(disk is full|ENOSPC)/);
    } finally {
      await disk.unmount();
    }
  });

  it('reports in one line that the disk is read-only', async () => {
    const disk = await mountSmallDisk(directory, 24);
    try {
      await disk.makeReadOnly();
      const service = spawnService({ DATA_DIR: directory });
      expect(await service.exited).toEqual([1, null]);
      expect(service.lines).toEqual([`the data directory ${directory} cannot be created or written: EROFS`]);
    } finally {
      await disk.unmount();
    }
  });
});
