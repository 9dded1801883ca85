import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { openDatabase } from '#database/database';
import { createDemandStore } from '#prices/refresh/demand-store';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { atMost, type Figure, median } from '../measuring/table.ts';
import { fillArchive } from '../stand/archive.ts';
import { SERVICE } from '../stand/node.ts';
import { startServer } from '../stand/service-process.ts';

const ROUNDS = 3;
/** The number of tokens in use, including the built-in tokens. */
const IN_USE = 20;
const TOKENS = 1_000;

/** The seconds from the start of the process to a response from `/health/ready`, with an embedded database. */
async function secondsToReady(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer(SERVICE, { DATA_DIR: dataDir, PORT: '0', DATABASE_URL: '' }, { isPinned: false });
  const { status } = await fetch(`${server.url}/health/ready`);
  const seconds = (performance.now() - startedAt) / 1000;
  await server.close();
  if (status !== 200) throw new Error(`not ready: ${status}`);
  return seconds;
}

/**
 * Adds up to a thousand tokens to a data directory that contains the built-in tokens' archive. Twenty of them are in
 * use.
 */
async function addTokens(dataDir: string): Promise<void> {
  const database = await openDatabase({ dataDir });
  const names = await addSandboxTokens(database.prisma, TOKENS);
  const used = names.filter((name) => !BUILT_IN_NAMES.includes(name)).slice(0, IN_USE - BUILT_IN_NAMES.length);
  await createDemandStore(database.prisma).note([...BUILT_IN_NAMES, ...used], Date.now());
  await database.close();
  await fillArchive(dataDir, used);
}

export async function measure(): Promise<Figure[]> {
  const fromNothing: number[] = [];
  const existing: number[] = [];
  const thousand: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
    fromNothing.push(await secondsToReady(dataDir));
    await fillArchive(dataDir);
    existing.push(await secondsToReady(dataDir));
    await addTokens(dataDir);
    thousand.push(await secondsToReady(dataDir));
    await rm(dataDir, { recursive: true });
  }
  return [
    atMost('start to ready, from nothing', median(fromNothing), 4, 's'),
    atMost(
      'start to ready, with an archive of five tokens × 4,700 days and 90 days of hours',
      median(existing),
      1.7,
      's',
    ),
    atMost(
      'start to ready with 1,000 tokens, 20 of them in use, against five',
      median(thousand) / median(existing),
      1.2,
      '×',
    ),
  ];
}
