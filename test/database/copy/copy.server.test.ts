import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import type { CopyEvent } from '#database/copy/copy';
import { readTables } from '#database/copy/source';
import { createCopyTarget } from '#database/copy/target';
import { migrate } from '#database/migrations';
import { contentOf, withSession } from '../../support/database/content.ts';
import { copy } from '../../support/database/copying.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { type Amounts, fill } from '../../support/database/filled.ts';

type Made = Awaited<ReturnType<typeof createTestDatabase>>;

/** The source of most tests, a source that a test can change, and the target. */
let source: Made;
let own: Made;
let target: Made;

const change = (of: Made, script: string) =>
  withSession(of, (session) => session.exec(`SET search_path TO public; ${script}`));

/** Drops all tables. Creating a new database takes seconds. */
const clear = (one: Made) => change(one, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');

async function fillOwn(amounts: Partial<Amounts> = {}): Promise<void> {
  await clear(own);
  await withSession(own, async (session) => {
    await migrate(session);
    await fill(session, { days: 2, hours: 2, users: 10, usageDays: 2, ...amounts });
  });
}

beforeAll(async () => {
  source = await createTestDatabase('migrated');
  [own, target] = [await createTestDatabase('empty'), await createTestDatabase('empty')];
  // The tables are in `public`, regardless of the search path of a role or database.
  const name = new URL(target.url).pathname.slice(1);
  await change(target, `ALTER DATABASE ${name} SET search_path TO elsewhere`);
  await withSession(source, (session) => fill(session, { days: 20, hours: 20, users: 150, usageDays: 30 }));
});
beforeEach(() => clear(target));
afterAll(async () => {
  for (const { drop } of [source, own, target]) await drop();
});

/** Copies until a table has a number of rows, and stops like Ctrl-C. */
async function copyUntil(from: Made, to: Made, table: string, rows = 1) {
  const stop = new AbortController();
  const on = (event: CopyEvent) => {
    if (event.kind === 'copying' && event.table === table && event.rows >= rows) stop.abort();
  };
  const { outcome } = await copy(from, to, { on, signal: stop.signal });
  expect(outcome).toEqual({ kind: 'interrupted' });
}

const kinds = (events: readonly CopyEvent[]) => new Set(events.map(({ kind }) => kind));

it('copies every row and the sequences, and then rejects the filled target', async () => {
  const { outcome } = await copy(source, target);
  expect(outcome).toMatchObject({ kind: 'finished' });
  expect(await contentOf(target)).toEqual(await contentOf(source));
  expect((await copy(source, target)).state).toMatchObject({ kind: 'filled' });
});

it('accepts a database with only migrations and the rows of a first start', async () => {
  await withSession(target, migrate);
  await change(target, `INSERT INTO shared_secret (name, value) VALUES ('etag', 'of the target')`);
  expect((await copy(source, target)).outcome).toMatchObject({ kind: 'finished' });
  expect(await contentOf(target)).toEqual(await contentOf(source));
});

it.each([
  [`UPDATE token SET removed_at = now() WHERE name = 'solana'`, 'token'],
  [`UPDATE token SET requested_at = now() WHERE name = 'solana'`, 'token'],
  [`INSERT INTO token (name, symbol, title, begins, listed) VALUES ('x', 'x', 'X', now(), now())`, 'token'],
  [`INSERT INTO refresh (resource) VALUES ('latest')`, 'refresh'],
])('rejects a target after %s', async (script, table) => {
  await withSession(target, migrate);
  await change(target, script);
  expect((await copy(source, target)).state).toEqual({ kind: 'filled', table });
});

it('resumes where it stopped, and copies no row twice', async () => {
  await copyUntil(source, target, 'usage_day', 2_000);
  const { outcome, events } = await copy(source, target);
  expect(outcome).toMatchObject({ kind: 'finished', copied: 150 * 30 - 2_000 });
  expect(kinds(events)).toContain('resumed');
  expect(kinds(events)).not.toContain('started over');
  expect(await contentOf(target)).toEqual(await contentOf(source));
});

it.each([
  ['a copied row has changed', `UPDATE "user" SET name = 'Grace' WHERE key = 7`],
  ['a copied row was deleted', 'DELETE FROM candle WHERE token = (SELECT min(token) FROM candle)'],
  [
    'a referenced row was added',
    `INSERT INTO "user" SELECT (jsonb_populate_record(u, '{"key": 900, "email": null, "name": null}')).*
       FROM "user" u WHERE key = 1`,
  ],
])('starts over if, since it stopped, %s', async (_, script) => {
  await fillOwn({ users: 80, usageDays: 30 });
  await copyUntil(own, target, 'usage_day');
  await change(own, script);
  const { outcome, events } = await copy(own, target);
  expect(outcome).toMatchObject({ kind: 'finished' });
  expect(kinds(events)).toContain('started over');
  expect(await contentOf(target)).toEqual(await contentOf(own));
});

it('starts over with the copy of another database', async () => {
  await fillOwn();
  await copyUntil(source, target, 'usage_day');
  const { outcome, events } = await copy(own, target);
  expect(outcome).toMatchObject({ kind: 'finished' });
  expect(events[0]).toEqual({ kind: 'started over' });
  expect(await contentOf(target)).toEqual(await contentOf(own));
});

it('does not finish while the source changes, except for a snapshot', async () => {
  await fillOwn();
  const before = await contentOf(own);
  let written: Promise<unknown> | undefined;
  const on = (event: CopyEvent) => {
    if (event.kind === 'copied' && event.table === 'budget')
      written = change(own, `INSERT INTO refresh (resource) VALUES ('later'); UPDATE usage SET used = used + 1`);
  };
  // In a snapshot copy, no table contains later writes, including tables that were copied after the writes.
  const asOf = await copy(own, target, { on, isLive: true });
  await written;
  expect(asOf.outcome).toMatchObject({ kind: 'finished' });
  expect(await contentOf(target)).toEqual(before);

  await change(own, `DELETE FROM refresh WHERE resource = 'later'`);
  await clear(target);
  const { outcome } = await copy(own, target, { on });
  await written;
  expect(outcome).toMatchObject({ kind: 'changed', tables: [{ table: 'refresh' }, { table: 'usage' }] });
  await expect(
    withSession(target, async (session) => createCopyTarget(session, BUILT_IN_NAMES).prepare()),
  ).resolves.toMatchObject({
    kind: 'unfinished',
  });
  expect((await copy(own, target)).outcome).toMatchObject({ kind: 'finished' });
  expect(await contentOf(target)).toEqual(await contentOf(own));
});

it('detects a single changed value in the target, and does not finish', async () => {
  let spoiled: Promise<unknown> | undefined;
  const on = (event: CopyEvent) => {
    if (event.kind === 'copied' && event.table === 'point')
      spoiled = change(
        target,
        "UPDATE point SET price = price * (1 + 1e-15) WHERE token = 'solana' AND price = (SELECT max(price) FROM point WHERE token = 'solana')",
      );
  };
  const { outcome } = await copy(source, target, { on });
  await spoiled;
  expect(outcome).toMatchObject({ kind: 'different', tables: [{ table: 'point' }] });
});

it('is made by one process at a time: once another process has resumed it, the first process writes nothing', async () => {
  const [table] = (await withSession(source, readTables)).filter(({ name }) => name === 'refresh');
  if (!table) throw new Error('the table does not exist');
  const rows = (resource: string) => [JSON.stringify([resource, null, '1', null, null])];
  const counts = await withSession(target, async (session) => {
    await migrate(session);
    const [first, second] = [createCopyTarget(session, BUILT_IN_NAMES), createCopyTarget(session, BUILT_IN_NAMES)];
    await first.begin([table], 'source');
    await first.write(table, rows('one'), { source: 'source' });
    await second.resume();
    const taken = 'another process has resumed this copy';
    await expect(first.write(table, rows('two'), { source: 'source' })).rejects.toThrow(taken);
    await expect(first.finish([table], [])).rejects.toThrow(taken);
    await second.write(table, rows('three'), { source: 'source' });
    await second.finish([table], []);
    return (await session.query('SELECT resource FROM public.refresh ORDER BY resource')).rows;
  });
  expect(counts).toEqual([{ resource: 'one' }, { resource: 'three' }]);
});
