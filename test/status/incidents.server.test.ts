import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { openLog } from '#open';
import { readSettings } from '#settings';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { openParts, type Parts } from '../../fixtures/parts.ts';
import { openTestDatabase } from '../support/database/database.ts';

async function openDatabase() {
  const database = await openTestDatabase();
  onTestFinished(database.close);
  return { prisma: database.prisma, url: database.url as string };
}

/** Makes the database refuse all connections, or accept them again. */
async function setReachable(url: string, isReachable: boolean) {
  const admin = new URL(url);
  const name = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isReachable}`);
  if (!isReachable) {
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  }
  await client.end();
}

async function openProcess(url: string, clock: TestClock): Promise<Parts> {
  const settings = readSettings({ DATABASE_URL: url });
  const parts = await openParts(settings, { clock, logger: openLog('silent') });
  onTestFinished(parts.close);
  return parts;
}

/** Advances the clock in steps. After each, all processes write their outcomes and poll at the same time. */
async function pass(ms: number, clock: TestClock, processes: readonly Parts[]) {
  for (let passed = 0; passed < ms; passed += 10 * SECOND) {
    clock.advance(10 * SECOND);
    await Promise.all(processes.map((one) => one.outcomes.write()));
    await Promise.all(processes.map((one) => one.poll().catch(() => undefined)));
  }
}

it('two processes that see a failure write one incident, and the other process ends it', async () => {
  const database = await openDatabase();
  const clock = createTestClock('2026-11-21T10:00:00Z');
  const rows = () => database.prisma.incident.findMany({ orderBy: { id: 'asc' } });
  const [first, second] = [await openProcess(database.url, clock), await openProcess(database.url, clock)];
  first.outcomes.note('kraken', 'timeout');
  await pass(3 * MINUTE, clock, [first, second]);
  expect(await rows()).toMatchObject([{ component: 'prices', state: 'degraded', endedAt: null }]);
  expect(second.statusReport().incidents).toMatchObject([{ component: 'prices', endedAt: null }]);

  await first.close();
  second.outcomes.note('kraken', 'ok');
  await pass(2 * MINUTE, clock, [second]);
  const [ended] = await rows();
  expect(ended?.endedAt?.getTime()).toBeLessThanOrEqual(clock.now() - MINUTE);
  expect(await rows()).toHaveLength(1);
});

it('ends the incident of processes that have ended', async () => {
  const database = await openDatabase();
  const clock = createTestClock('2026-11-21T10:00:00Z');
  await database.prisma.$executeRaw`
    INSERT INTO incident (component, state, reason, started_at)
    VALUES ('node', 'down', 'all_nodes_failing', '2026-11-21T09:00:00Z')`;
  await database.prisma.$executeRaw`INSERT INTO refresh (resource, version) VALUES ('incidents', 1)`;
  const process = await openProcess(database.url, clock);
  expect(process.statusReport().incidents).toMatchObject([{ component: 'node', endedAt: null }]);
  await pass(2 * MINUTE, clock, [process]);
  expect(process.statusReport().incidents).toMatchObject([{ component: 'node', endedAt: expect.any(Number) }]);
});

it('records an outage of the database after it, once for both processes, with its times', async () => {
  const database = await openDatabase();
  const clock = createTestClock('2026-11-21T10:00:00Z');
  const processes = [await openProcess(database.url, clock), await openProcess(database.url, clock)];
  await pass(MINUTE, clock, processes);
  await setReachable(database.url, false);
  await pass(2 * MINUTE, clock, processes);
  expect(processes.map((process) => process.statusReport().components.at(-1))).toMatchObject([
    { name: 'database', state: 'down', reason: 'database_unavailable' },
    { name: 'database', state: 'down', reason: 'database_unavailable' },
  ]);
  await setReachable(database.url, true);
  await pass(2 * MINUTE, clock, processes);
  expect(await database.prisma.incident.findMany()).toMatchObject([
    {
      component: 'database',
      state: 'down',
      startedAt: new Date('2026-11-21T10:01:10Z'),
      endedAt: new Date('2026-11-21T10:03:10Z'),
    },
  ]);
});
