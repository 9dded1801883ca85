import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, iso } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { createActivityStore } from '#operator/users/activity-store';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase } from '../support/database/database.ts';

const NOW = Date.UTC(2026, 4, 10, 12);
const TABLES = ['user', 'usage', 'lease', 'user_activity'];
/** The users whose calls are summed up at once. */
const ACTIVE = Array.from({ length: 100 }, (_, i) => i + 1);

/** Users with calls in the current period, and with a lease of the day before. */
const FILL = `
  INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at)
  SELECT 'Ada', 'ada@example.org', 'monthly', 10000, at, at, at + interval '1 month', at
  FROM generate_series(1, 20000), LATERAL (SELECT timestamptz '${iso(NOW - 9 * DAY)}' AS at) t;
  INSERT INTO usage (user_key, period_start, used) SELECT key, anchor, 1 FROM "user";
  INSERT INTO lease (user_key, process, period_start, date, report, granted, spent, key_id, path)
  SELECT key, lpad('1', 32, '0')::uuid, anchor, '2026-05-09', 1, 20, 20, 1, 1 FROM "user";
  INSERT INTO user_activity (user_key, calls, used, resets_at, slot, slots, last_hour)
  SELECT key, 1, key % 2, CASE WHEN key % 2 = 0 THEN 'infinity' ELSE timestamptz '${iso(NOW + 20 * DAY)}' END, 0,
    array_fill(0, ARRAY[13]), 0
  FROM "user";
  ANALYZE`;

let drop: () => Promise<void>;
let client: pg.Client;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  client = await connectTo(database.url);
  for (const statement of FILL.split(';\n')) await client.query(statement);
});
afterAll(async () => {
  await client?.end();
  await drop?.();
});

/** The statements of an update, which are not sent. */
async function statements(): Promise<Prisma.Sql[]> {
  const seen: Prisma.Sql[] = [];
  const note = async (texts: TemplateStringsArray, ...values: unknown[]) => {
    seen.push(Prisma.sql(texts, ...values));
    return ACTIVE.map((key) => ({ key }));
  };
  const store = createActivityStore({ $queryRaw: note, $executeRaw: note } as unknown as PrismaClient);
  await store.add(NOW);
  await store.update(NOW, true, 0);
  return seen;
}

it('reads users, calls and leases only by their indexes', async () => {
  const sent = await statements();
  expect(sent).toHaveLength(6);
  for (const { text, values } of sent) {
    const { rows } = await client.query(`EXPLAIN ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (Only )?Scan|Bitmap/);
    const scanned = [...plan.matchAll(/Seq Scan on "?(\w+)/g)].map(([, table]) => table ?? '');
    expect(
      scanned.filter((table) => TABLES.includes(table)),
      plan,
    ).toEqual([]);
  }
});
