import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillArchive } from './archive.ts';
import { SERVICE } from './node.ts';
import { startServer } from './service-process.ts';
import { atMost, type Figure, median } from './table.ts';

const ROUNDS = 3;

/** From the start of the process to an answer of `/health/ready`, in seconds, on an embedded database. */
async function secondsToReady(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer(
    SERVICE,
    { DATA_DIR: dataDir, PORT: '0', DATABASE_URL: '' },
    { isPinned: false },
  );
  const { status } = await fetch(`${server.url}/health/ready`);
  const seconds = (performance.now() - startedAt) / 1000;
  await server.close();
  if (status !== 200) throw new Error(`not ready: ${status}`);
  return seconds;
}

export async function measure(): Promise<Figure[]> {
  const fromNothing: number[] = [];
  const existing: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
    fromNothing.push(await secondsToReady(dataDir));
    await fillArchive(dataDir);
    existing.push(await secondsToReady(dataDir));
    await rm(dataDir, { recursive: true });
  }
  return [
    atMost('start to ready, from nothing', median(fromNothing), 8, 's'),
    atMost(
      'start to ready, an archive of five tokens × 4,700 days and 90 days of hours',
      median(existing),
      2,
      's',
    ),
  ];
}
