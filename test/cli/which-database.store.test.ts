import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDataDirectory } from '../support/database/database.ts';
import { makeDirectory, makeServedDirectory, runHere, runProcess } from './run-command.ts';

let served: Awaited<ReturnType<typeof makeServedDirectory>>;
let empty: Awaited<ReturnType<typeof makeServedDirectory>>;
let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeAll(async () => {
  [served, empty] = [await makeServedDirectory(), await makeServedDirectory({ hasUser: false })];
  directory = await makeDirectory();
});
afterAll(async () => {
  for (const one of [served, empty, directory]) await one.remove();
});

const note = (dataDir: string) =>
  `The embedded database in ${dataDir} has no users. To use another database, set DATA_DIR or DATABASE_URL.\n`;

const COMMANDS = [
  { commandLine: 'users', args: ['list'] },
  { commandLine: 'users', args: ['list', '--json'] },
  { commandLine: 'users', args: ['notices'] },
  { commandLine: 'tokens', args: ['list'] },
  { commandLine: 'archive', args: ['status', '--json'] },
  { commandLine: 'archive', args: ['purge', '--source', 'kraken'] },
];

it.each(COMMANDS)('$commandLine.name $args names an embedded database without users', async ({ commandLine, args }) => {
  const { code, stdout, stderr } = await runHere(commandLine, args, { DATA_DIR: empty.dataDir });
  expect([code, stderr]).toEqual([0, note(empty.dataDir)]);
  if (args.includes('--json')) expect(Array.isArray(JSON.parse(stdout))).toBe(true);
});

it('a command does not name a database that has a user', async () => {
  const { code, stderr } = await runHere('users', ['list'], { DATA_DIR: served.dataDir });
  expect([code, stderr]).toEqual([0, '']);
});

it('names the database before the error of a command that does not find a user', async () => {
  const { code, stderr } = await runHere('users', ['show', '1'], { DATA_DIR: empty.dataDir });
  expect([code, stderr.split('\n').length]).toEqual([1, 3]);
  expect(stderr.startsWith(note(empty.dataDir))).toBe(true);
});

it('reports a directory that is in use and cannot be shared, with a remedy', async () => {
  // The socket's path would be too long, so other processes cannot find the socket.
  const dataDir = join(directory.path, 'a'.repeat(100));
  const held = await openDataDirectory(dataDir);
  const refused = await runProcess('users', ['list'], { DATA_DIR: dataDir });
  await held.close();
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toBe(
    `the data directory ${dataDir} is in use by process ${process.pid}: stop the process, set another DATA_DIR, or set DATABASE_URL to share a database\n`,
  );
  const copy = ['copy', join(directory.path, 'copy'), '--create', '--from', served.dataDir];
  const source = await runProcess('database', copy, {});
  expect(source).toMatchObject({ code: 2, stdout: '' });
  expect(source.stderr).toMatch(/^the source: .*`quotient database backup` works while the database is in use.*\n$/);
});
