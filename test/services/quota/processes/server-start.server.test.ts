import { describe, expect, it } from 'vitest';
import { openDatabase } from '#stores/database/database';
import { canStartPostgres, startPostgresServer } from '../../../../fixtures/postgres-server.ts';
import { age, enrol, handClock, openTeller, serverHasRun } from '../allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const LIMIT = 8;

describe.runIf(canStartPostgres)('a server that has just started', () => {
  it('lets no lease be reclaimed for 10 s, so that a holder that was cut off settles first', {
    timeout: 60_000,
  }, async () => {
    const server = await startPostgresServer();
    const database = await openDatabase({ url: server.url, dataDir: 'unused' });
    const clock = handClock(START);
    const [holder, other] = [openTeller(database, clock), openTeller(database, clock)];
    const { key, apiKey } = await enrol(database, holder, { limit: LIMIT, at: START });
    holder.keep(await holder.call(apiKey));
    await age(database, key, 31);
    expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 2);

    await serverHasRun(database);
    await age(database, key, 31);
    clock.pass(2_000);
    holder.abandon();
    await other.poll();
    expect(await other.callUntilRefused(apiKey)).toBe(2);
    await other.close();
    await database.close();
    await server.close();
  });
});
