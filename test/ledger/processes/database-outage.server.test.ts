import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { canStartPostgres, startPostgresServer } from '../../../fixtures/postgres-server.ts';
import { amount } from '../../support/long.ts';
import { type CountedResponse, hammer } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const LIMIT = 1_000_000;
/** The number of calls that the leases of both processes keep when the keys are idle. */
const RESTING = 2 * 20;
/** The maximum time for which a lease is usable. */
const LEASED = 20 * SECOND;
const OUTAGE = LEASED + amount(2, 10) * SECOND;

/** Whether no call has been rejected for a second. */
const isRecovered = (responses: readonly CountedResponse[]) =>
  responses.every(({ status, at }) => status === 200 || at < performance.now() - SECOND);

/** Two processes under a constant load while their server is down. */
async function endure() {
  const server = await startPostgresServer();
  let replicas: Replicas | undefined;
  try {
    replicas = await startReplicas(2, { url: server.url });
    const { ledgerRows, processes, createUser } = replicas;
    const { key, apiKey } = await createUser(LIMIT);
    const hammers = processes.map(({ url }) => hammer(url, apiKey, { connections: 2, everyMs: amount(20, 10) }));
    const responses = () => hammers.flatMap((one) => one.responses);
    await expect.poll(async () => (await ledgerRows(key)).used, { timeout: 15_000 }).toBeGreaterThan(200);

    const stoppedAt = performance.now();
    await server.stop('immediate');
    await wait(OUTAGE);
    // Read before the start, because the server may serve a call before `start` resolves.
    const startedAt = performance.now();
    await server.start();
    const during = responses().filter(({ at }) => at > stoppedAt && at < startedAt);
    await expect.poll(() => isRecovered(responses()), { timeout: 20_000 }).toBe(true);
    const recoveredAt = performance.now();
    await expect
      .poll(() => responses().filter(({ at, status }) => at > recoveredAt && status === 200).length, {
        timeout: 20_000,
      })
      .toBeGreaterThan(100);
    await Promise.all(hammers.map(({ stop }) => stop()));

    const ok = hammers.reduce((sum, { count }) => sum + count(), 0);
    await expect
      .poll(() => ledgerRows(key), { timeout: 15_000 })
      .toEqual({ used: ok, outstanding: RESTING, daily: ok });
    return { all: responses(), during, stoppedAt, failed: hammers.flatMap(({ failed }) => failed) };
  } finally {
    await replicas?.close();
    await server.close();
  }
}

describe.runIf(canStartPostgres)('a database outage under load', () => {
  it('is bridged by the leases, then rejects calls with 503, and ends without a restart or a lost count', async () => {
    const { all, during, stoppedAt, failed } = await endure();
    expect(failed).toEqual([]);
    const early = during.filter(({ at }) => at < stoppedAt + LEASED / 2);
    expect(early.filter(({ status }) => status === 200).length).toBeGreaterThan(500);
    const late = during.filter(({ at }) => at > stoppedAt + LEASED);
    expect(late.length).toBeGreaterThan(0);
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { status, code, retryAfter } of all.filter((one) => one.status !== 200)) {
      expect({ status, code }).toEqual({ status: 503, code: 'database_unavailable' });
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    }
  }, 180_000);
});
