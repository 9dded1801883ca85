import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readMigrations } from '#database/migrations';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { connectTo } from '../support/database/client.ts';
import { startCuttingProxy } from '../support/database/cutting-proxy.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { amount } from '../support/long.ts';
import { spawnService } from '../support/service/service-process.ts';

/** The number of points between the first connection and the listener at which the connections end. */
const STAGES = amount(4, 12);

describe.runIf(canStartPostgres)('a database that becomes available after the service', () => {
  it('is migrated once by two waiting processes', { timeout: 90_000 }, async () => {
    const server = await startPostgresServer();
    await server.stop();
    const services = [1, 2].map(() => spawnService({ DATABASE_URL: server.url }));
    await Promise.all(services.map(({ logged }) => logged(/ECONNREFUSED.*database failed/)));
    await server.start();
    for (const service of services) {
      const listening = await service.logged(/Server listening/);
      const [url] = /http:[\d./:]+/.exec(listening) ?? [];
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      await service.logged(/database recovered/);
      expect(service.lines.filter((line) => line.includes('database recovered'))).toHaveLength(1);
    }
    expect(await Promise.all(services.map(({ stop }) => stop()))).toEqual([0, 0]);

    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name',
    );
    await client.end();
    const migrations = await readMigrations();
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    await server.close();
  });

  it('that stops while the service reads it is awaited', { timeout: 90_000 }, async () => {
    const server = await startPostgresServer();
    onTestFinished(server.close);
    const first = spawnService({ DATABASE_URL: server.url });
    await first.logged(/Server listening/);
    expect(await first.stop()).toBe(0);

    const other = await connectTo(server.url);
    await other.query('BEGIN; LOCK TABLE shared_secret');
    const service = spawnService({ DATABASE_URL: server.url });
    const waiting = `SELECT FROM pg_locks WHERE relation = 'shared_secret'::regclass AND NOT granted`;
    await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 60_000 }).toBe(1);
    await server.stop();
    await service.logged(/ECONNREFUSED.*database failed/);
    await server.start();
    await service.logged(/Server listening/);
    await service.logged(/database recovered/);
    expect(await service.stop()).toBe(0);
  });
});

describe('a database that becomes unreachable during the start', () => {
  it('is awaited at every stage', { timeout: 300_000 }, async () => {
    const { url, drop } = await createTestDatabase('empty');
    onTestFinished(drop);

    async function startThrough(forwarded?: number): Promise<number> {
      const proxy = await startCuttingProxy(url, forwarded);
      const service = spawnService({ DATABASE_URL: proxy.url });
      try {
        if (forwarded !== undefined) {
          const failure = JSON.parse(await service.logged(/database failed/));
          expect(failure.work).toHaveProperty('start');
          proxy.resume();
        }
        await service.logged(/Server listening/);
        const count = proxy.count();
        expect(await service.stop()).toBe(0);
        return count;
      } finally {
        await service.kill();
        await proxy.close();
      }
    }

    const count = await startThrough();
    // The first run has applied the migrations, so the next runs have fewer messages.
    const stages = await startThrough();
    expect(stages).toBeLessThan(count);
    const cuts = Array.from({ length: STAGES }, (_, i) => Math.floor((i * (stages - 1)) / STAGES));
    for (const forwarded of cuts) await startThrough(forwarded);
  });
});
