import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '../support/database/database.ts';
import { findPgBouncer, startPooler } from '../support/database/pooler.ts';
import { spawnService } from '../support/service/service-process.ts';

// The test starts processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

it.runIf(findPgBouncer())(
  'a PgBouncer that rejects the startup parameters ends the start with the remedy',
  async () => {
    const { url, drop } = await createTestDatabase('empty');
    onTestFinished(drop);
    const pooler = await startPooler(url, '');
    onTestFinished(pooler.close);
    const behind = new URL(url);
    behind.port = new URL(pooler.url).port;
    const service = spawnService({ DATABASE_URL: behind.href });
    expect(await service.exited).toEqual([1, null]);
    await service.logged(/unsupported startup parameter/);
    expect(service.lines).toHaveLength(1);
    expect(service.lines[0]).toContain(`at ${behind.host}: unsupported startup parameter: options`);
    expect(service.lines[0]).toContain('ignore_startup_parameters = options');

    // If the service sends no startup parameters, nothing is rejected.
    behind.searchParams.set('options', '');
    const bare = spawnService({ DATABASE_URL: behind.href });
    await bare.logged(/Server listening/);
    expect(await bare.stop()).toBe(0);
  },
);
