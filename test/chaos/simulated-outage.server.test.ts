import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { HOUR, MINUTE } from '#core/clock';
import { openDatabase } from '#database/database';
import { commonQueries, openSimulation, type Queries, type Simulation } from '../../fixtures/simulation.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { amount, longTimeout } from '../support/long.ts';

/** How long CoinGecko is unreachable. The outage includes midnight. */
const HOURS = amount(2, 24);

type Query = ReturnType<typeof commonQueries>[number];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let simulation: Simulation;
beforeEach(async () => {
  database = await createTestDatabase();
  const open = () => openDatabase({ url: database.url, dataDir: 'unused', poolSize: 5 });
  // A schedule that fits the monthly budget.
  const env = { COINGECKO_REFRESH: 'latest=1m,chart=1h', COINGECKO_CALLS_PER_MONTH: '100000' };
  simulation = await openSimulation({ open, processes: 1, env, start: '2026-05-01T22:00:00Z' });
});
afterEach(async () => {
  await simulation?.close();
  await database.drop();
});

/** Requests for a date fail with upstream_unavailable until its daily row is ready, and while its first minutes have no sample. */
const DAY_NOT_READY = /T00:[0-3]\d:.* upstream_unavailable/;

test(`CoinGecko is unreachable for ${HOURS} hours: no latest price is older than two minutes`, {
  timeout: 2 * longTimeout,
}, async ({ annotate }) => {
  const { clock, sandbox, step, outcome } = simulation;
  let oldest = 0;
  let cutOffAt = Number.POSITIVE_INFINITY;
  const unnamed: string[] = [];
  const requests: Queries = (random, now) => [
    ...BUILT_IN_NAMES.map(
      (token): Query =>
        async (market) => {
          const response = await market.latest(token);
          oldest = Math.max(oldest, clock.now() - (response.fetchedAt ?? 0));
          return response;
        },
    ),
    ...[...commonQueries(random, now), ...commonQueries(random, now)].map(
      (request): Query =>
        async (market) => {
          const response = await request(market);
          const isFromFallback = response.modifiedAt > cutOffAt + 5 * MINUTE;
          if (isFromFallback && !response.source.includes('kraken')) unnamed.push(response.source);
          return response;
        },
    ),
  ];
  for (let at = 0; at < HOUR; at += 5 * MINUTE) await step(MINUTE, requests);
  expect(outcome().fallbackCalls).toEqual({ ticker: 0, candles: 0, pairs: 0 });

  cutOffAt = clock.now();
  sandbox.faults.always({ kind: 'status', status: 503 }, { path: '/api/v3/' });
  for (let at = 0; at < HOURS * HOUR; at += 2 * MINUTE) await step(2 * MINUTE, requests);
  const { fallbackCalls, calls, firstFills, responses, failures } = outcome();
  const figures = JSON.stringify({ responses, coinGecko: { ...calls, firstFills }, kraken: fallbackCalls });
  await annotate(`calls in ${HOURS} hours without CoinGecko: ${figures}`);
  expect(responses).toBeGreaterThan(HOURS * 420);
  expect(failures.filter((failure) => !DAY_NOT_READY.test(failure))).toEqual([]);
  expect(oldest).toBeLessThanOrEqual(2 * MINUTE);
  expect(unnamed).toEqual([]);
  expect(fallbackCalls.ticker).toBeLessThanOrEqual(HOURS * 60);
  // For each token, at most one call every five minutes, every hour and every day.
  expect(fallbackCalls.candles).toBeLessThanOrEqual(BUILT_IN_NAMES.length * (HOURS * (12 + 1) + 1));
});
