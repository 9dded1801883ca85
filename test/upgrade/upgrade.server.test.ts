import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#database/database';
import { startSandbox } from '#sandbox/server';
import { createTestDatabase } from '../support/database/database.ts';
import { spawnService } from '../support/service/service-process.ts';
import { balancedCalls } from './balanced-calls.ts';
import { buildNextRelease, buildReleaseBefore, NEXT_MIGRATION, readManifest } from './releases.ts';

/* Replaces the processes of a release by those of the next release, and back, while clients make calls. */

const LIMIT = 1_000_000;
const KEYS = 6;
/** The number of calls between two replacements, over all keys. */
const CALLS = 200;

type Release = 'before' | 'next';
type Step = readonly [place: number, release: Release];

let work: string;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
const folder = (release: Release) => join(work, release);

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'quotient-upgrade-'));
  sandbox = await startSandbox();
  await buildReleaseBefore(folder('before'));
  await buildNextRelease(folder('next'), await readManifest(folder('before')));
}, 300_000);
afterAll(async () => {
  await sandbox?.close();
  await rm(work, { recursive: true, force: true });
});

/** Processes of either release on one database, each at a fixed place. */
function startPlaces(database: Readonly<Record<string, string>>) {
  const settings = {
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    ...database,
  };
  const running = new Map<number, { url: string; process: ReturnType<typeof spawnService> }>();

  function spawn(release: Release) {
    const process = spawnService(settings, ['build/cli/quotient.js', 'serve'], { cwd: folder(release) });
    onTestFinished(() => process.kill());
    return process;
  }

  async function stop(place: number): Promise<void> {
    const there = running.get(place);
    running.delete(place);
    if (there) expect(await there.process.stop()).toBe(0);
  }

  return {
    urls: () => [...running.values()].map(({ url }) => url),
    spawn,
    /** Stops the process at a place, and starts another one there. */
    async replace([place, release]: Step): Promise<void> {
      await stop(place);
      const process = spawn(release);
      const listening = await process.logged(/Server listening at http:/);
      running.set(place, { url: /http:\/\/[\d.]+:\d+/.exec(listening)?.[0] ?? '', process });
    },
    async stopAll(): Promise<void> {
      for (const place of [...running.keys()]) await stop(place);
    },
  };
}

type Place = { url?: string; dataDir: string };

async function inDatabase<T>(place: Place, work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>) {
  const database = await openDatabase(place);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Creates users with the command of the previous release. */
async function createKeys(settings: Readonly<Record<string, string>>) {
  const ada = ['--name', 'Ada', '--email', 'ada@example.org', '--plan', 'monthly', '--limit', String(LIMIT)];
  const keys: { key: number; apiKey: string }[] = [];
  for (let n = 0; n < KEYS; n++) {
    const options = { cwd: folder('before'), env: { PATH: process.env.PATH, ...settings } };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['build/cli/quotient.js', 'users', 'create', ...ada],
      options,
    );
    const member = (name: string) => new RegExp(`^${name}: +(\\S+)$`, 'm').exec(stdout)?.[1] ?? '';
    keys.push({ key: Number(member('key')), apiKey: member('apiKey') });
  }
  return keys;
}

const usedCalls = (place: Place) =>
  inDatabase(place, async ({ prisma }) => {
    const rows = await prisma.$queryRaw<{ userKey: number; used: number; outstanding: number }[]>`
      SELECT u.user_key AS "userKey", (u.used - l.outstanding)::int AS used, l.outstanding::int
      FROM usage u CROSS JOIN LATERAL (SELECT coalesce(sum(granted - spent), 0) AS outstanding FROM lease
        WHERE user_key = u.user_key AND period_start = u.period_start) l`;
    return new Map(rows.map(({ userKey, used, outstanding }) => [userKey, { used, outstanding }]));
  });

/** Runs the steps while each key makes calls. Expects that the ledger contains exactly the calls with a response. */
async function replaceUnderLoad(place: Place, settings: Readonly<Record<string, string>>, steps: readonly Step[]) {
  const keys = await createKeys(settings);
  const places = startPlaces(settings);
  const calls = balancedCalls(
    keys.map(({ apiKey }) => apiKey),
    places.urls,
  );
  for (const step of steps) {
    await places.replace(step);
    const before = calls.total();
    await expect.poll(calls.total, { timeout: 30_000 }).toBeGreaterThan(before + CALLS);
  }
  await calls.stop();
  await places.stopAll();
  expect(calls.failed).toEqual([]);
  const ledger = await usedCalls(place);
  for (const { key, apiKey } of keys) expect(ledger.get(key)).toEqual({ used: calls.answered(apiKey), outstanding: 0 });
  return places;
}

describe('a release that has migrated the database', () => {
  const TIMEOUT = 240_000;

  it(
    'on a server, runs in parallel with the previous release, which restarts, replaces it and is replaced again',
    async () => {
      const { url, drop } = await createTestDatabase('empty');
      onTestFinished(drop);
      const steps: Step[] = [
        [0, 'before'],
        [1, 'before'],
        [0, 'next'],
        [1, 'before'],
        [1, 'next'],
        [0, 'before'],
        [1, 'before'],
        [0, 'next'],
        [1, 'next'],
      ];
      const places = await replaceUnderLoad({ url, dataDir: 'unused' }, { DATABASE_URL: url }, steps);

      await inDatabase(
        { url, dataDir: 'unused' },
        ({ prisma }) =>
          prisma.$executeRaw`
        UPDATE _prisma_migrations SET logs = '-- oldest-release: 99.0.0' WHERE migration_name = ${NEXT_MIGRATION}`,
      );
      const tooOld = places.spawn('before');
      expect(await tooOld.exited).toEqual([1, null]);
      expect(tooOld.lines.filter((line) => line.includes(NEXT_MIGRATION))).toEqual([
        expect.stringContaining('99.0.0 or newer'),
      ]);
    },
    TIMEOUT,
  );

  it(
    'on the embedded database, is replaced by the previous release and replaces it again',
    async () => {
      const dataDir = join(work, 'data');
      const settings = { DATA_DIR: dataDir };
      // Only the service creates an embedded database.
      const first = startPlaces(settings);
      await first.replace([0, 'before']);
      await first.stopAll();
      await replaceUnderLoad({ dataDir }, settings, [
        [0, 'before'],
        [0, 'next'],
        [0, 'before'],
        [0, 'next'],
      ]);
    },
    TIMEOUT,
  );
});
