import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Prisma } from '#generated/prisma/client';
import { hashApiKey } from '#keys/api-key';
import { USER_TABLES } from '#users/user-tables';
import { userExport } from '#users/users-records';
import { type MailingService, startMailingService } from '../support/mail/mailing-service.ts';

/* The export and the erasure of a user are complete: both are compared with the database's catalogue. */

let service: MailingService;
beforeAll(async () => {
  service = await startMailingService({ settings: { BURST_PER_SECOND: '0' } });
});
afterAll(() => service?.close());

const query = <Row>(sql: Prisma.Sql) => service.database.prisma.$queryRaw<Row[]>(sql);
const name = (text: string) => Prisma.raw(`"${text}"`);

type Column = { name: string; type: string; isArray: boolean; isEnum: boolean; isReference: boolean };

/** The columns of each table that has a user's record number, by the catalogue. */
async function userTables(): Promise<Map<string, Column[]>> {
  const rows = await query<Column & { table: string }>(Prisma.sql`
    SELECT c.relname AS table, a.attname AS name, coalesce(e.typname, t.typname) AS type, e.oid IS NOT NULL AS "isArray",
      coalesce(e.typtype, t.typtype) = 'e' AS "isEnum",
      EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY(f.conkey))
        AS "isReference"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND (c.relname = 'user' OR EXISTS (
        SELECT FROM pg_attribute u WHERE u.attrelid = c.oid AND u.attname = 'user_key' AND NOT u.attisdropped)
        OR EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.confrelid = '"user"'::regclass))
    ORDER BY c.relname, a.attnum`);
  return Map.groupBy(rows, ({ table }) => table) as Map<string, Column[]>;
}

const AT = '2026-01-31T12:34:56.789Z';
/** Found in no other text. */
const markOf = (userKey: number, column: string) => `marked-${userKey}-${column}`;
const hashOf = (userKey: number, column: string) => createHash('sha256').update(markOf(userKey, column)).digest('hex');
/** Valid values of columns with a CHECK. */
const CHECKED: Readonly<Record<string, string>> = { 'webhook_delivery-kind': 'test' };

function valueFor(userKey: number, table: string, { name: column, type, isArray, isEnum }: Column): Prisma.Sql {
  const place = `${table}-${column}`;
  if (isEnum) {
    const first = Prisma.sql`(enum_range(NULL::${name(type)}))[1]`;
    return isArray ? Prisma.sql`ARRAY[${first}]` : first;
  }
  const values: Record<string, Prisma.Sql> = {
    text: Prisma.sql`${CHECKED[place] ?? markOf(userKey, place)}::text`,
    bytea: Prisma.sql`decode(${hashOf(userKey, place)}, 'hex')`,
    int2: Prisma.sql`1::int2`,
    int4: Prisma.sql`${1000 + userKey}::int`,
    int8: Prisma.sql`${1_000_000 + userKey}::bigint`,
    bool: Prisma.sql`true`,
    uuid: Prisma.sql`gen_random_uuid()`,
    date: Prisma.sql`'2026-01-31'::date`,
    timestamptz: Prisma.sql`${AT}::timestamptz`,
    jsonb: Prisma.sql`${JSON.stringify({ text: markOf(userKey, place) })}::jsonb`,
  };
  const value = values[type] ?? expect.fail(`the type ${type} of ${table}.${column} has no value here`);
  return isArray ? Prisma.sql`ARRAY[${value}]` : value;
}

/** A suspended user cannot erase the account, and a due plan would start. */
const EXCLUDED = ['key', 'erased_at', 'plan', 'limit', 'suspended_at', 'next_plan', 'next_limit'];

/** Fills every column of every table of a user, except references to other tables. */
async function fill(userKey: number): Promise<void> {
  for (const [table, columns] of await userTables()) {
    const filled = columns.filter((column) => column.name !== 'user_key' && !column.isReference);
    if (table === 'user') {
      const own = filled.filter((column) => !EXCLUDED.includes(column.name));
      const set = own.map((column) => Prisma.sql`${name(column.name)} = ${valueFor(userKey, table, column)}`);
      await query(Prisma.sql`UPDATE "user" SET ${Prisma.join(set)} WHERE key = ${userKey}`);
      continue;
    }
    await query(Prisma.sql`
      INSERT INTO ${name(table)} (user_key, ${Prisma.join(filled.map((column) => name(column.name)))})
      VALUES (${userKey}::int, ${Prisma.join(filled.map((column) => valueFor(userKey, table, column)))})`);
  }
}

/** The tables, including those without a user column, in which a text occurs. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await query<{ table: string }>(Prisma.sql`
    SELECT tablename AS table FROM pg_tables WHERE schemaname = current_schema()`);
  const found = [];
  for (const { table } of tables) {
    const rows = await query(Prisma.sql`
      SELECT 1 FROM ${name(table)} t WHERE strpos(row_to_json(t)::text, ${text}::text) > 0 LIMIT 1`);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

async function read(apiKey: string) {
  const response = await fetch(`${service.url}/v1/user/export`, { headers: { 'x-api-key': apiKey } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

it('every column of every table with a user column is exported or hidden', async () => {
  const tables = await userTables();
  const known = new Map(USER_TABLES.map((one) => [one.table, [...one.columns, ...(one.hidden ?? [])]]));
  expect([...known.keys()].sort()).toEqual([...tables.keys()].sort());
  for (const [table, columns] of tables) {
    const names = columns.map((column) => column.name).filter((column) => column !== 'user_key');
    expect([table, known.get(table)?.toSorted()]).toEqual([table, names.sort()]);
  }
});

it('the export contains every value except hidden ones, and no secret or hash of the user', async () => {
  const { key, apiKey } = await service.user('ada@example.org');
  await fill(key);
  const { status, headers, text } = await read(apiKey);
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'no-store',
  ]);
  userExport.strict().parse(JSON.parse(text));
  for (const [table, columns] of await userTables()) {
    const hidden = USER_TABLES.find((one) => one.table === table)?.hidden ?? [];
    for (const { name: column, type } of columns) {
      if (!['text', 'jsonb'].includes(type) || CHECKED[`${table}-${column}`]) continue;
      expect([table, column, text.includes(markOf(key, `${table}-${column}`))]).toEqual([
        table,
        column,
        !hidden.includes(column),
      ]);
    }
  }
  for (const secret of [apiKey, hashApiKey(apiKey), hashOf(key, 'api_key-hash'), 'secret', '"hash'])
    expect(text).not.toContain(secret);
  // Every instant has the format of all other responses.
  expect(text.match(/"\d{4}-\d\d-\d\dT[^"]*"/g)?.filter((at) => !/T\d\d:\d\d:\d\d\.\d{3}Z"$/.test(at))).toEqual([]);
});

it('an erasure leaves no text of the user in any table, and keeps the record number and the counts', async () => {
  const { key, apiKey } = await service.user('grace@example.net');
  await fill(key);
  const address = 'grace.hopper@example.net';
  await service.database.prisma.user.update({ where: { key }, data: { email: address } });
  await service.post('/v1/user/recover', { email: address.toUpperCase() });
  const other = await service.user('other@example.net');
  const before = await query(Prisma.sql`SELECT key_id, path FROM usage_detail WHERE user_key = ${key}`);
  expect(before).toHaveLength(1);

  const erased = await fetch(`${service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
  expect(erased.status).toBe(204);
  for (const table of (await userTables()).keys()) {
    const { erasure } = USER_TABLES.find((one) => one.table === table) ?? expect.fail(table);
    const rows = await query(Prisma.sql`
      SELECT 1 FROM ${name(table)} WHERE ${name(table === 'user' ? 'key' : 'user_key')} = ${key}`);
    // A process may delete an old lease at any time.
    if (table !== 'lease') expect([table, rows.length > 0]).toEqual([table, erasure !== 'deleted']);
  }
  // The operator's changes are kept. They contain no text of the user.
  expect(await tablesWith(`marked-${key}-`)).toEqual(['audit_event']);
  // The hash of the key states why the key is rejected, until the key is deleted.
  expect(await tablesWith(hashOf(key, 'api_key-hash'))).toEqual(['api_key']);
  expect(await tablesWith(hashOf(key, 'one_time_code-hash'))).toEqual([]);
  expect(await tablesWith('hopper')).toEqual([]);
  expect(await tablesWith('HOPPER')).toEqual([]);
  expect(await query(Prisma.sql`SELECT key_id, path FROM usage_detail WHERE user_key = ${key}`)).toEqual(before);
  expect((await read(other.apiKey)).text).toContain('other@example.net');
});
