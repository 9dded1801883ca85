import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copy } from '#cli/database/database-copy';
import { toExitReport } from '#process/exit-report';
import { connectTo } from '../support/database/client.ts';
import { contentOf, withSession } from '../support/database/content.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { fill } from '../support/database/filled.ts';
import { amount, isLong, longTimeout } from '../support/long.ts';
import { execute, makeDirectory, runHere, startCommand } from './run-command.ts';

// The commands open and copy databases, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 2 * longTimeout, hookTimeout: longTimeout });

const AMOUNTS = isLong
  ? { days: 4400, hours: 2160, users: 10_000, usageDays: 30 }
  : { days: 50, hours: 50, users: 300, usageDays: 120 };

type Made = Awaited<ReturnType<typeof createTestDatabase>>;

let source: Made;
let other: Made;
let target: Made;
let directory: Awaited<ReturnType<typeof makeDirectory>>;
/** A directory that must not be created. */
let nowhere: string;

beforeAll(async () => {
  directory = await makeDirectory();
  nowhere = join(directory.path, 'nowhere');
  source = await createTestDatabase();
  [other, target] = [await createTestDatabase(), await createTestDatabase('empty')];
  await withSession(source, (session) => fill(session, AMOUNTS));
});
afterAll(async () => {
  for (const { drop } of [source, other, target]) await drop();
  await directory.remove();
});

/** Resolves when the copy has reached a number of rows of a table. */
async function untilCopied(url: string, table: string, rows: number): Promise<void> {
  const client = await connectTo(url);
  const read = () =>
    client
      .query(`SELECT logs FROM _prisma_migrations WHERE migration_name LIKE '%unfinished_copy'`)
      .catch(() => ({ rows: [] }));
  for (;;) {
    const progress = JSON.parse((await read()).rows[0]?.logs ?? '{}');
    // The last table is by far the longest, so it is still in progress even after a late start in another table.
    if (progress.table === 'usage_day' && table !== 'usage_day') break;
    if (progress.table === table && progress.rows >= rows) break;
    await pause(2);
  }
  await client.end();
}

/** The points at which the copy is killed, in the order in which the tables are copied. */
const STOPS = [
  ['usage_day', 1],
  ['point', 1],
  ['candle', 1],
  ['point', (5 * AMOUNTS.days) / 2],
  ['usage_day', (AMOUNTS.users * AMOUNTS.usageDays) / 2],
] as const;

it('copies a database row by row into an empty one, however often it is killed, and then into a directory and back', async () => {
  const args = ['copy', target.url, '--from', source.url];
  const order = ['candle', 'point', 'usage_day'];
  const stops = STOPS.slice(0, amount(2, 5)).sort(
    (one, two) => order.indexOf(one[0]) - order.indexOf(two[0]) || one[1] - two[1],
  );
  for (const [table, rows] of stops) {
    const running = startCommand('database', args, {});
    const ended = running.ended();
    await Promise.race([untilCopied(target.url, table, rows), ended]);
    running.kill('SIGKILL');
    expect((await ended).code, 'it was killed before its end').toBeNull();
  }
  const started = await runHere('users', ['list'], { DATABASE_URL: target.url });
  expect(started).toMatchObject({ code: 1, stdout: '' });
  expect(started.stderr).toMatch(/^the database is an unfinished copy: run [^\n]+ again[^\n]*\n$/);

  const last = await runHere('database', args, {});
  expect(last.code).toBe(0);
  expect(last.stdout).toMatch(/^from [^\n]+\nresuming the interrupted copy\n/);
  expect(last.stdout).toMatch(/\ncompared: \d+ tables, [\d,]+ rows, no differences\n/);
  if (isLong) console.log(last.stdout);
  const content = await contentOf(source);
  expect(await contentOf(target)).toEqual(content);

  const dataDir = join(directory.path, 'embedded');
  const embedded = await runHere('database', ['copy', dataDir, '--create'], { DATABASE_URL: target.url });
  expect(embedded.code).toBe(0);
  if (isLong) console.log(embedded.stdout);
  expect(await contentOf({ dataDir })).toEqual(content);
  expect(await refused(target.url, '--from', source.url)).toMatch(
    / is not empty, because the table \w+ has rows: use an empty database\n$/,
  );

  await withSession(target, (session) => session.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  const back = await runHere('database', ['copy', target.url], { DATA_DIR: dataDir });
  expect(back.code).toBe(0);
  if (isLong) console.log(back.stdout);
  expect(await contentOf(target)).toEqual(content);

  const ada = ['--name', 'Ada', '--email', 'a@example.org', '--plan', 'yearly'];
  const created = await runHere('users', ['create', ...ada], { DATABASE_URL: target.url });
  expect(created.stdout).toMatch(new RegExp(`^key: +${AMOUNTS.users + 1}$`, 'm'));
});

/** The command's error, in one line without the password, and its exit code. */
async function refused(...args: string[]): Promise<string> {
  const error = await execute(copy, args).then(
    () => new Error('the command succeeded'),
    (reason: unknown) => reason,
  );
  const { text, exitCode } = toExitReport(error);
  expect(text).not.toMatch(/hunter2|\n/);
  expect(existsSync(nowhere)).toBe(false);
  return `${text}\n${exitCode === 2 ? '' : `exit ${exitCode}`}`;
}

it('rejects a source or target that a process is using, except a source with --live', async () => {
  await withSession(other, (session) =>
    session.exec(`INSERT INTO process (id, expires_at)
      VALUES ('00000000-0000-4000-8000-000000000001', now() + interval '1 hour')`),
  );
  const atWork = /^a process is using [^\n]+--live\n$/;
  expect(await refused(nowhere, '--from', other.url)).toMatch(atWork);
  expect(await refused(nowhere, '--from', other.url, '--live')).toMatch(
    /^there is no database in [^\n]+--create[^\n]+\n$/,
  );
  const live = ['copy', join(directory.path, 'live'), '--create', '--from', other.url, '--live'];
  const copied = await runHere('database', live, {});
  expect(copied.code).toBe(0);
  expect(copied.stdout).toMatch(/\nthe copy does not contain changes to the source after 20\S+Z\n$/);

  await withSession(other, (session) => session.exec('DELETE FROM process'));
  const client = await connectTo(other.url, 'quotient');
  expect(await refused(nowhere, '--from', other.url)).toMatch(atWork);
  expect(await refused(other.url, '--from', source.url)).toMatch(/^a process is using \S+: stop the process first\n$/);
  await client.end();
});

describe('rejected copies', () => {
  it.each([
    [2, '<target> must be postgresql://user:password@host:port/', ['mysql://root:hunter2@localhost/x']],
    [2, '<target> must be postgresql://', ['root:hunter2@localhost']],
    [2, '<target> is missing: the command requires <target> [--from <source>] [--live]', ['']],
    [2, 'percent-encoded', ['nowhere', '--from', 'postgresql://root:hunter2/x@localhost/x']],
    [
      2,
      'the source must set the parameter target_session_attrs to any',
      ['nowhere', '--from', 'postgresql://a,b/x?target_session_attrs=standby'],
    ],
    [2, '<target> and <source> are the same database', ['nowhere', '--from', './nowhere']],
    [2, ' contains no database', ['nowhere', '--from', 'nothing-there']],
    [1, 'the source: cannot connect to', ['nowhere', '--from', 'postgresql://root:hunter2@127.0.0.1:1/x']],
    [2, '1 unexpected argument', ['x', 'y']],
    [2, '<target> is missing', []],
    [2, 'unknown option --force', ['x', '--force']],
  ] as const)('exit code %i, %s: %j', async (code, expected, args) => {
    const text = await refused(...args);
    expect(text).toContain(expected);
    expect(text.endsWith(code === 2 ? '\n' : `\nexit ${code}`)).toBe(true);
    expect(existsSync('nowhere')).toBe(false);
  });

  it('include a database of another release or another application', async () => {
    const alter = (script: string) => withSession(other, (session) => session.exec(script));
    await alter(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('x', 'x', '20990101000000_later', now())`);
    expect(await refused(nowhere, '--from', other.url)).toMatch(
      /has the migration 20990101000000_later, which does not exist in this release: start a newer release\nexit 1$/,
    );
    expect(await refused(other.url, '--from', source.url)).toContain('20990101000000_later');

    await alter(`INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
      VALUES ('00000000-0000-4000-8000-636f70696564', 'x', '99999999999999_unfinished_copy', '{"source": "x"}')`);
    expect(await refused(other.url, '--from', source.url)).toContain('is an unfinished copy by another release');
    await alter(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_later'`);
    expect(await refused(nowhere, '--from', other.url)).toContain('is an unfinished copy');

    await alter('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    expect(await refused(nowhere, '--from', other.url)).toMatch(/: it is not a Quotient database\nexit 1$/);
    await alter('CREATE TABLE theirs ()');
    expect(await refused(other.url, '--from', source.url)).toContain('use a separate database for Quotient');
  });
});
