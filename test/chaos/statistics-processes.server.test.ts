import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { type Database, openDatabase } from '#database/database';
import { openLog } from '#open';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { readSettings } from '#settings';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { openParts, type Parts } from '../../fixtures/parts.ts';
import { statisticsSettings } from '../../fixtures/statistics-settings.ts';
import { createTestDatabase } from '../support/database/database.ts';

const PROCESSES = 4;
const TOKENS = ['btc', 'ar', 'eth', 'sol'] as const;
/**
 * One CryptoCompare call for each token, and the calls to the keyless sources of the two tokens that CryptoCompare does
 * not list.
 */
const CALLS_OF_ONE = 4 + 3 + 3;

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let clock: TestClock;
let sandbox: Sandbox;
let lines: string[];
let opened: { parts: Parts; database: Database }[];
beforeEach(async () => {
  home = await createTestDatabase();
  clock = createTestClock('2026-05-15T14:10:06Z');
  sandbox = await startSandbox({ clock });
  lines = [];
  opened = [];
});
afterEach(async () => {
  for (const { parts, database } of opened) {
    await parts.close();
    await database.close();
  }
  await sandbox.close();
  await home.drop();
});

async function start(): Promise<Parts> {
  const database = await openDatabase({ url: home.url, dataDir: 'unused', poolSize: 4 });
  const settings = readSettings({
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    CRYPTOCOMPARE_API_KEY: 'a-key',
    ...statisticsSettings(sandbox),
  });
  const logger = openLog('info', { write: (line) => void lines.push(line) });
  const parts = await openParts(settings, { clock, database, logger });
  opened.push({ parts, database });
  return parts;
}

/** Requests all statistics from all processes concurrently. Returns each response. */
async function requestAll(processes: readonly Parts[]): Promise<string[]> {
  const received = await Promise.all(
    processes.map(async ({ statistics }) => {
      const responses = await Promise.all(TOKENS.map((token) => statistics.latest(token)));
      return responses.map(({ body, source }) => `${source} ${body.identity.payload}`).join('\n');
    }),
  );
  for (const { statistics } of processes) await statistics.idle();
  return received;
}

describe(`${PROCESSES} processes`, () => {
  test('with concurrent requests make the calls of one process, hour after hour, and respond identically', async () => {
    const processes = await Promise.all(Array.from({ length: PROCESSES }, start));
    expect(new Set(await requestAll(processes)).size).toBe(1);
    expect(sandbox.countCalls()).toBe(CALLS_OF_ONE);
    for (let hour = 1; hour <= 3; hour++) {
      clock.advance(HOUR);
      sandbox.clearCalls();
      await requestAll(processes);
      for (const parts of processes) await parts.poll();
      expect(new Set(await requestAll(processes)).size).toBe(1);
      // All processes know which chains are not listed.
      expect(sandbox.countCalls()).toBe(CALLS_OF_ONE - 2);
    }
    clock.advance(DAY);
    sandbox.clearCalls();
    await requestAll(processes);
    expect(sandbox.countCalls()).toBe(CALLS_OF_ONE);
  });

  test('log each switch of a source only once in total', async () => {
    const processes = await Promise.all(Array.from({ length: PROCESSES }, start));
    await requestAll(processes);
    sandbox.faults.always({ kind: 'html', status: 200 }, { path: '/cryptocompare' });
    for (let hour = 0; hour < 3; hour++) {
      clock.advance(HOUR);
      await requestAll(processes);
      for (const parts of processes) await parts.poll();
    }
    const switched = lines
      .map((line) => JSON.parse(line) as { msg: string; token?: string; reason?: string })
      .filter(({ msg }) => msg === 'statistics source switched')
      .map(({ token, reason }) => `${token} ${reason}`);
    expect(switched.sort()).toEqual(['ar not_listed', 'btc not_json', 'eth not_json', 'sol not_listed']);
  });

  test('complete a fetch that another process left unfinished when it stopped', async () => {
    const [first, second] = [await start(), await start()];
    const held = sandbox.faults.hold({ path: '/cryptocompare' });
    const request = Promise.resolve(first.statistics.latest('btc')).catch((error: unknown) => error);
    await held.arrived(1);
    await first.close();
    await request;
    held.release();
    const response = await second.statistics.latest('btc');
    expect(response.source).toBe('cryptocompare');
  });
});
