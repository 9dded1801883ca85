import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { canMount, mountSmallDisk } from '../support/database/small-disk.ts';
import { spawnService } from '../support/service/service-process.ts';

// The test starts processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

async function makeDisk(megabytes: number) {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-disk-'));
  const disk = await mountSmallDisk(directory, megabytes);
  await chmod(directory, 0o755);
  onTestFinished(async () => {
    await disk.unmount();
    await rm(directory, { recursive: true });
  });
  return { directory, disk };
}

async function startOn(directory: string) {
  const server = await startPostgresServer([], { max_wal_size: '32MB', shared_buffers: '16MB' }, directory);
  onTestFinished(server.close);
  const service = spawnService({ DATABASE_URL: server.url });
  onTestFinished(service.kill);
  const listening = await service.logged(/Server listening/);
  const url = /http:[\d./:]+/.exec(listening)?.[0] ?? '';
  const status = async () => (await fetch(`${url}/health/ready`)).status;
  expect(await status()).toBe(200);
  return { server, status };
}

/** Like another application on the server, writes until the server rejects it or ends. */
async function writeUntilFull(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS other (filling text)');
    for (;;) await client.query(`INSERT INTO other SELECT repeat(md5(n::text), 50) FROM generate_series(1, 2000) AS n`);
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    client.end().catch(() => undefined);
  }
}

describe.runIf(canStartPostgres && canMount)('a server whose disk is full', () => {
  it('is not ready until the disk has room', async () => {
    const { directory, disk } = await makeDisk(192);
    const { server, status } = await startOn(directory);
    await disk.fill(4_000_000);
    expect(await writeUntilFull(server.url)).not.toBe('undefined');
    // The service's own rows fit into existing pages.
    await expect.poll(status, { timeout: 30_000 }).toBe(503);
    await disk.free();
    await server.start().catch(() => undefined);
    await expect.poll(status, { timeout: 40_000 }).toBe(200);
  });
});
