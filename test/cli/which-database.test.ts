import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDirectory, runProcess } from './run-command.ts';

// Each command is a process that opens a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory.remove());

it('a command names a database without users by its absolute path, and no other database', async () => {
  const dataDir = join(directory.path, 'data');
  const users = (...args: string[]) => runProcess('users', args, { DATA_DIR: relative(process.cwd(), dataDir) });
  const note = `The embedded database in ${dataDir} has no users. To use another database, set DATA_DIR or DATABASE_URL.\n`;
  expect(await users('list')).toMatchObject({ code: 0, stderr: note });
  const ada = ['--name', 'Ada', '--email', 'ada@example.org', '--plan', 'monthly'];
  expect(await users('create', ...ada)).toMatchObject({ code: 0, stderr: note });
  expect(await users('list')).toMatchObject({ code: 0, stderr: '' });
});
