import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '../support/database/database.ts';
import { findPgBouncer, startPooler } from '../support/database/pooler.ts';
import { spawnService } from '../support/service/service-process.ts';

// The test starts processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

it.runIf(findPgBouncer())('a PgBouncer with its default settings is supported', async () => {
  const { url, drop } = await createTestDatabase('empty', { isPooled: true });
  onTestFinished(drop);
  const pooler = await startPooler(url, '');
  onTestFinished(pooler.close);
  const behind = new URL(url);
  behind.port = new URL(pooler.url).port;
  const service = spawnService({ DATABASE_URL: behind.href });
  await service.logged(/Server listening/);
  expect(service.lines).toHaveLength(1);
  expect(await service.stop()).toBe(0);
});

it.runIf(findPgBouncer())('a pooled database with another isolation level ends the start with the remedy', async () => {
  const { url, drop } = await createTestDatabase('empty');
  onTestFinished(drop);
  const pooler = await startPooler(url);
  onTestFinished(pooler.close);
  const behind = new URL(url);
  behind.port = new URL(pooler.url).port;
  const service = spawnService({ DATABASE_URL: behind.href });
  expect(await service.exited).toEqual([2, null]);
  await service.logged(/ALTER ROLE .*default_transaction_isolation/);
  expect(service.lines).toHaveLength(1);
  expect(service.lines[0]).toContain(`cannot use the database at ${behind.host}: `);
});
