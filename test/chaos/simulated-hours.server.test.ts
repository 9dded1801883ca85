import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { openDatabase } from '#database/database';
import { allQueries, commonQueries, openSimulation, type Simulation } from '../../fixtures/simulation.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { amount, longTimeout } from '../support/long.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let simulation: Simulation | undefined;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await simulation?.close();
  await database.drop();
});

/** Requests for a date fail with upstream_unavailable until its daily row is ready, and while its first minutes have no sample. */
const DAY_NOT_READY = /T00:[0-3]\d:.* upstream_unavailable/;
const open = () => openDatabase({ url: database.url, dataDir: 'unused', poolSize: 5 });

test('three processes with all queries in every minute of some hours make only the scheduled calls', {
  timeout: 2 * longTimeout,
}, async () => {
  const midnight = Date.parse('2026-05-02T00:00:00Z');
  const hours = amount(1, 4);
  const start = new Date(midnight + 45 * MINUTE - hours * HOUR).toISOString();
  simulation = await openSimulation({ open, processes: 3, start });
  for (let at = 0; at < hours * HOUR; at += 2 * MINUTE) await simulation.step(2 * MINUTE, allQueries);
  const { calls, firstFills, failures } = simulation.outcome();
  // The first call for the latest prices is a backfill. The time range includes midnight, so the daily series are
  // fetched again when the new day is ready.
  expect(calls).toEqual({ latest: hours * 10 - 1, chart: 5, daily: 5, hours: 0 });
  expect(firstFills).toBeGreaterThan(5);
  expect(failures.filter((failure) => !DAY_NOT_READY.test(failure))).toEqual([]);
});

test('a monthly budget that is too small for the schedule lasts until the end of the month', {
  timeout: 2 * longTimeout,
}, async () => {
  const end = Date.parse('2026-06-01T00:00:00Z');
  const days = amount(3, 10);
  const calls = 20 * days;
  simulation = await openSimulation({
    open,
    processes: 1,
    start: new Date(end - days * DAY).toISOString(),
    env: { COINGECKO_CALLS_PER_MONTH: String(calls) },
  });
  while (simulation.clock.now() < end) await simulation.step(30 * MINUTE, commonQueries);
  const { total, oldest, lastCallAt, failures } = simulation.outcome();
  expect(total).toBeLessThanOrEqual(calls);
  expect(total).toBeGreaterThan(calls * 0.75);
  // Some calls remain for the last day, so the served data was never much older than the extended schedule.
  expect(lastCallAt).toBeGreaterThan(end - DAY);
  expect(oldest).toBeLessThan(DAY);
  expect(failures.filter((failure) => !DAY_NOT_READY.test(failure))).toEqual([]);
  // The new month has a new budget.
  simulation.sandbox.clearCalls();
  for (let at = 0; at < HOUR; at += 2 * MINUTE) await simulation.step(2 * MINUTE, commonQueries);
  expect(simulation.outcome().calls.latest).toBeGreaterThanOrEqual(10);
});
