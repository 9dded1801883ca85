import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDirectory, runHere, startCommand } from './run-command.ts';

// Each command is a process that opens a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory.remove());

const ada = ['create', '--name', 'Ada', '--email', 'ada@example.org', '--plan', 'monthly'];

it('a command creates no database without a terminal', async () => {
  const dataDir = join(directory.path, 'none');
  const csv = new URL('../samples/export.csv', import.meta.url).pathname;
  for (const [commandLine, args] of [
    ['users', ada],
    ['users', ['list']],
    ['archive', ['import', 'bitcoin', csv]],
    ['tokens', ['list']],
    ['audit', ['list']],
    ['database', ['backup', join(directory.path, 'backup')]],
    ['database', ['copy', 'postgresql://127.0.0.1:9/none']],
  ] as const) {
    const { code, stdout, stderr } = await runHere(commandLine, args, { DATA_DIR: dataDir });
    expect([args, code, stdout, stderr]).toEqual([args, 2, '', expect.stringMatching(/^[^\n]*no database[^\n]*\n$/)]);
    expect(stderr).toContain(dataDir);
  }
  expect(await readdir(directory.path)).toEqual([]);
});

it('a command at a terminal asks before it creates a database', async () => {
  const dataDir = join(directory.path, 'asked');
  const atTerminal = `for (const name of ['stdin', 'stderr']) process[name].isTTY = true`;
  const answered = async (answer: string) => {
    const command = startCommand('users', ['list'], {
      DATA_DIR: dataDir,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atTerminal)}`,
    });
    await command.until('stderr', /\[y\/N\]/);
    command.answer(answer);
    return command.ended();
  };
  expect((await answered('n\n')).code).toBe(2);
  expect(await readdir(directory.path)).toEqual([]);
  expect((await answered('y\n')).code).toBe(0);
  expect(await readdir(directory.path)).toEqual(['asked']);
});
