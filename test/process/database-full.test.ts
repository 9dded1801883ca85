import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { canMount, mountSmallDisk } from '../support/database/small-disk.ts';
import { spawnService } from '../support/service/service-process.ts';

// Each test starts a process, which takes seconds on a busy machine, and waits up to 70 s for its states.
vi.setConfig({ testTimeout: 120_000 });

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

  it('fails the readiness check while the disk is full, also if only for larger writes', async () => {
    const disk = await mountSmallDisk(directory, 192);
    const service = spawnService({ DATA_DIR: join(directory, 'data') });
    try {
      const listening = await service.logged(/Server listening/);
      const url = /http:[\d./:]+/.exec(listening)?.[0] ?? '';
      const statusOf = async (path: string, method = 'GET') => (await fetch(url + path, { method })).status;
      expect(await statusOf('/health/ready')).toBe(200);
      for (const free of [0, 200_000]) {
        await disk.fill(free);
        await expect
          .poll(() => statusOf('/v1/user/create?name=Ada&email=ada@example.org&plan=monthly', 'POST'), {
            timeout: 40_000,
            interval: 5,
          })
          .toBe(503);
        await expect.poll(() => statusOf('/health/ready')).toBe(503);
        await disk.free();
        await expect.poll(() => statusOf('/health/ready'), { timeout: 30_000 }).toBe(200);
      }
    } finally {
      await service.kill();
      await disk.unmount();
    }
  });
});
