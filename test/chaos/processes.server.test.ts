import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import { type Database, openDatabase } from '#database/database';
import { openLog } from '#open';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { readSettings } from '#settings';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { openParts, type Parts } from '../../fixtures/parts.ts';
import { statisticsSettings } from '../../fixtures/statistics-settings.ts';
import { createTestDatabase } from '../support/database/database.ts';

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let clock: TestClock;
let sandbox: Sandbox;
let database: Database;
let opened: { parts: Parts; database: Database }[];
beforeEach(async () => {
  home = await createTestDatabase();
  clock = createTestClock('2026-05-15T14:10:06Z');
  sandbox = await startSandbox({ clock, plan: 'demo' });
  database = await openDatabase({ url: home.url, dataDir: 'unused', poolSize: 2 });
  opened = [];
});
afterEach(async () => {
  await stopAll();
  await sandbox.close();
  await database.close();
  await home.drop();
});

async function start(env: Record<string, string> = {}): Promise<Parts> {
  const own = await openDatabase({ url: home.url, dataDir: 'unused', poolSize: 4 });
  const settings = readSettings({
    COINGECKO_URL: sandbox.coingeckoUrl,
    // The tests count CoinGecko's calls, so no other source provides the missing data.
    MARKET_SOURCES: 'coingecko',
    COINGECKO_PLAN: 'demo',
    COINGECKO_CALLS_PER_MINUTE: '1000',
    ...statisticsSettings(sandbox),
    ...env,
  });
  const parts = await openParts(settings, { clock, database: own, logger: openLog('silent') });
  opened.push({ parts, database: own });
  return parts;
}

async function stopAll(): Promise<void> {
  for (const one of opened.splice(0)) {
    await one.parts.close();
    await one.database.close();
  }
}

const everything = ({ market }: Parts) =>
  Promise.all([
    market.latest('bitcoin'),
    market.latest('solana'),
    market.days('bitcoin', 1, 'json'),
    market.days('bitcoin', 30, 'json'),
    market.days('bitcoin', 8, 'json'),
  ]);
const bodies = async (parts: Parts) => (await everything(parts)).map(({ body }) => String(body.identity.payload));

describe('three processes', () => {
  test('with identical concurrent requests make the calls of one process, and respond identically', async () => {
    const three = [await start(), await start(), await start()];
    await Promise.all(three.map(everything));
    // The latest prices, the day's chart, the daily series, and ninety days of hours.
    expect(sandbox.countCalls()).toBe(4);
    for (const parts of three) await parts.poll();
    const responses = await Promise.all(three.map(bodies));
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);

    sandbox.clearCalls();
    clock.advance(13 * MINUTE);
    for (const parts of three) await parts.poll();
    await Promise.all(three.map(everything));
    for (const { market } of three) await market.idle();
    expect(sandbox.countCalls('/coins/markets')).toBe(1);
    expect(sandbox.countCalls()).toBe(1);
  });

  test('read new data from the database before they make a call: a process that was idle makes none', async () => {
    const [first, second] = [await start(), await start()];
    await everything(first);
    sandbox.clearCalls();
    const responses = await everything(second);
    expect(sandbox.countCalls()).toBe(0);
    expect(responses.map(({ body }) => body.identity.payload)).toEqual(
      (await everything(first)).map(({ body }) => body.identity.payload),
    );
  });

  test('share one monthly budget, which survives a restart', async () => {
    const env = { COINGECKO_CALLS_PER_MONTH: '3' };
    await Promise.all([start(env), start(env), start(env)]);
    await Promise.allSettled(opened.map(({ parts }) => everything(parts)));
    expect(sandbox.countCalls()).toBe(3);
    await stopAll();
    const again = await start(env);
    await expect(again.market.days('arweave', 30, 'json')).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(sandbox.countCalls()).toBe(3);
    const [row] = await database.prisma.budget.findMany();
    expect(row).toMatchObject({ upstream: 'coingecko', monthSpent: 3 });
  });

  test('share the budget per minute', async () => {
    const env = { COINGECKO_CALLS_PER_MINUTE: '2' };
    await Promise.all([start(env), start(env), start(env)]);
    await Promise.allSettled(opened.map(({ parts }) => everything(parts)));
    expect(sandbox.countCalls()).toBe(2);
  });
});

describe('a claim of a dead process', () => {
  const orphan = (until: string) =>
    database.prisma.$executeRawUnsafe(
      `INSERT INTO refresh (resource, holder, until) VALUES ('latest', '${randomUUID()}', clock_timestamp() + interval '${until}')`,
    );

  test('is waited for until the deadline, without a call', async () => {
    await orphan('1 hour');
    const { market } = await start({ UPSTREAM_TIMEOUT_MS: '300' });
    // Loads the token without an upstream call.
    const before = Date.parse('2008-01-01T00:00:00Z');
    await expect(market.date('bitcoin', before, 'json')).rejects.toMatchObject({ code: 'no_data' });
    const response = Promise.resolve(market.latest('bitcoin'));
    clock.advance(301);
    await expect(response).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(sandbox.countCalls()).toBe(0);
  });

  test('is replaced when it expires', async () => {
    await orphan('1 hour');
    const { market } = await start({ UPSTREAM_TIMEOUT_MS: '20000' });
    const response = Promise.resolve(market.latest('bitcoin'));
    await database.prisma.$executeRaw`UPDATE refresh SET until = clock_timestamp() - interval '1 second'`;
    expect((await response).body.identity.payload).toContain('current_price');
    expect(sandbox.countCalls()).toBe(1);
  });
});

describe('a restart', () => {
  test('repeats no call for stored data, and returns the same bytes as before', async () => {
    const first = await start();
    await everything(first);
    const before = await bodies(first);
    await stopAll();
    sandbox.clearCalls();
    expect(await bodies(await start())).toEqual(before);
    expect(sandbox.countCalls()).toBe(0);
  });

  test('while the upstream is down keeps serving the last good data', async () => {
    const before = await bodies(await start());
    await stopAll();
    sandbox.faults.always({ kind: 'status', status: 500 });
    clock.advance(13 * MINUTE);
    const parts = await start();
    const response = await parts.market.latest('bitcoin');
    expect(response.body.identity.payload).toBe(before[0]);
    expect(response.fetchedAt).toBe(clock.now() - 13 * MINUTE);
    await parts.market.idle();
    const { outcome } = await parts.market.latest('bitcoin');
    expect(outcome.failure).toMatchObject({ reason: 'server_error' });
  });
});
