import { describe, expect, it, onTestFinished } from 'vitest';
import { canStartPostgres, startPostgresServer, startStandby } from '../../../fixtures/postgres-server.ts';
import { hammer } from '../../support/service/hammer.ts';
import { startReplicas } from './replicas.ts';

const LIMIT = 1_000_000;
/** The number of calls that the leases of both processes keep when the keys are idle. */
const RESTING = 2 * 20;

describe.runIf(canStartPostgres)('the loss of a primary under load', () => {
  it('is handled: the processes find the promoted standby, and no count is lost', {
    timeout: 180_000,
  }, async () => {
    // Commits wait for the standby, so no acknowledged commit is lost.
    const primary = await startPostgresServer([], { synchronous_standby_names: 'standby' });
    onTestFinished(primary.close);
    const standby = await startStandby(primary);
    onTestFinished(standby.close);
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
    const url = `postgresql://quotient@${hosts}/postgres?target_session_attrs=read-write`;
    const replicas = await startReplicas(2, { url });
    onTestFinished(replicas.close);
    const { ledgerRows, processes, createUser, start } = replicas;
    const { key, apiKey } = await createUser(LIMIT);
    const hammers = processes.map((one) => hammer(one.url, apiKey, { connections: 2, everyMs: 20 }));
    await expect.poll(async () => (await ledgerRows(key)).used, { timeout: 20_000 }).toBeGreaterThan(200);

    await primary.stop('immediate');
    await standby.promote();
    for (const { url } of processes) {
      const ready = async () => (await fetch(`${url}/health/ready`)).status;
      await expect.poll(ready, { timeout: 30_000 }).toBe(200);
    }
    const before = hammers.map(({ count }) => count());
    await expect
      .poll(() => hammers.every(({ count }, i) => count() > (before[i] ?? 0) + 100), { timeout: 30_000 })
      .toBe(true);
    await Promise.all(hammers.map(({ stop }) => stop()));
    expect(hammers.flatMap(({ failed }) => failed)).toEqual([]);
    const others = hammers.flatMap(({ responses }) => responses.filter(({ status }) => status !== 200));
    expect(new Set(others.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(others.length > 0 ? ['503 database_unavailable'] : []),
    );

    const ok = hammers.reduce((sum, { count }) => sum + count(), 0);
    await expect
      .poll(() => ledgerRows(key), { timeout: 40_000 })
      .toEqual({ used: ok, outstanding: RESTING, daily: ok });

    // A process that starts now also finds the new primary.
    const another = await start();
    expect((await fetch(`${another.url}/health/ready`)).status).toBe(200);
    await another.kill();
  });
});
