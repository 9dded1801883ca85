import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readMigrations } from '#database/migrations';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { spawnService } from '../support/service/service-process.ts';

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
});
