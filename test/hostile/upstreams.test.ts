import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MB } from '../../bench/calls/hostile/attacks.ts';
import { ATTACK_MS, FETCHED_EVERY_SECOND, openStand, type Stand } from './stand.ts';

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
const PATHS = [
  LATEST,
  '/v1/prices/history/days?tokenName=bitcoin&days=1',
  '/v1/prices/history/days?tokenName=ethereum&days=30',
  ...['btc', 'eth', 'sol', 'ar'].map((token) => `/v1/prices/latest/stats?token=${token}`),
];
const GARBAGE = `[${'{},'.repeat(2.7 * MB)}{}]`;

let stand: Stand;
let apiKey: string;
beforeAll(async () => {
  stand = await openStand({ settings: FETCHED_EVERY_SECOND });
  apiKey = await stand.register();
  stand.sandbox.faults.always(
    { kind: 'status', status: 200, body: GARBAGE },
    { path: /\/(coins|cryptocompare|bitcoin|ethereum|solana|arweave)\b/ },
  );
});
afterAll(() => stand?.close());

/** Requests all data from upstreams repeatedly, for `ms` milliseconds. */
async function requestAll(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await wait(100)) {
    const responses = await Promise.all(PATHS.map((path) => stand.ask(path, apiKey)));
    for (const { status } of responses) expect([200, 502, 503, 504]).toContain(status);
  }
}

it('all upstreams respond with 8 MB of invalid data', async () => {
  const before = stand.sandbox.countCalls();
  await stand.attacked(() => requestAll(ATTACK_MS));
  expect(stand.sandbox.countCalls()).toBeGreaterThan(before);
});

it('a start while all upstreams respond with invalid data', async () => {
  await stand.stop();
  await stand.start();
  const before = stand.sandbox.countCalls();
  await stand.attacked(() => requestAll(ATTACK_MS));
  expect(stand.sandbox.countCalls()).toBeGreaterThan(before);
  expect((await stand.ask(LATEST, apiKey)).status).toBe(200);
});
