import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTo } from '../support/database/client.ts';
import { type MailingService, startMailingService } from '../support/mail/mailing-service.ts';
import { type Change, everyChange, makeKey, outcomeOf, storedOf } from './every-change.ts';

/* A change that waits for the user's row sees the effect of the preceding change on the key. */

let service: MailingService;
let other: pg.Client;
beforeAll(async () => {
  service = await startMailingService({ settings: { BURST_PER_SECOND: '0' } });
  other = await connectTo(service.database.url);
});
afterAll(async () => {
  await other?.end();
  await service?.close();
});

/** The number of this database's statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await other.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

it('no change overtakes a rotation of its key that another process has started', async () => {
  const count = (await everyChange(service, 0)).length;
  for (let n = 0; n < count; n += 1) {
    const { key, apiKey } = await service.user('ada@example.org');
    const { id } = await makeKey(service.url, apiKey);
    const change = (await everyChange(service, id))[n] as Change;

    await other.query('BEGIN');
    await other.query('SELECT key FROM "user" WHERE key = $1 FOR NO KEY UPDATE', [key]);
    await other.query(
      `UPDATE api_key SET replaced_at = now(), expires_at = now() + interval '1 hour'
       WHERE user_key = $1 AND 'account' = ANY(scopes)`,
      [key],
    );
    const outcome = outcomeOf(service.url, change, apiKey);
    await expect.poll(waiting).toBe(1);
    await other.query('COMMIT');
    const before = await storedOf(service, key);
    expect([change.path, await outcome]).toEqual([change.path, 'api_key_revoked']);
    expect(await storedOf(service, key)).toEqual(before);
  }
});
