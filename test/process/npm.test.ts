import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { makeDirectory } from '../cli/run-command.ts';
import { NPM } from '../support/npm.ts';
import { bundled } from '../support/service/service-process.ts';

// npm and the service take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const FORKING_SHELL = resolve('test/support/forking-shell/sh');

let directory: Awaited<ReturnType<typeof makeDirectory>>;
let root: string;
beforeAll(async () => {
  directory = await makeDirectory();
  root = join(directory.path, 'checkout');
  // The build has its own test. Here, the sources run under its name.
  const file = join(root, 'build/cli/quotient.js');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `import ${JSON.stringify(bundled('quotient'))};\n`);
  const { start, demo } = JSON.parse(await readFile('package.json', 'utf8')).scripts;
  await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module', scripts: { start, demo } }));
  await chmod(FORKING_SHELL, 0o755);
});
afterAll(() => directory.remove());

/** Runs an npm script until a line of its output matches. `closed` resolves when no process has the output open. */
async function runUntil(pattern: RegExp, script: string, shell: readonly string[]) {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: directory.path,
    TMPDIR: directory.path,
  };
  // A directory takes less time than a database in memory, which is initialised for each start.
  const settings = { DATA_DIR: join(directory.path, 'data'), PORT: '0' };
  const child = spawn(process.execPath, [NPM, ...shell, 'run', '--silent', script], {
    cwd: root,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines: string[] = [];
  const input = createInterface({ input: child.stdout });
  let isClosed = false;
  const closed = once(input, 'close').then(() => {
    isClosed = true;
  });
  onTestFinished(() => {
    // After a failure, the group may still be running.
    if (!isClosed) process.kill(-(child.pid as number), 'SIGKILL');
  });
  await new Promise<void>((resolve, reject) => {
    input.on('line', (line) => {
      lines.push(line);
      if (pattern.test(line)) resolve();
    });
    input.on('close', () => reject(new Error(`ended early: ${lines.join('\n')}`)));
  });
  return { child, lines, closed };
}

it.each([
  { signal: 'SIGTERM', shell: [] },
  { signal: 'SIGINT', shell: [`--script-shell=${FORKING_SHELL}`] },
  { signal: 'SIGKILL', shell: [`--script-shell=${FORKING_SHELL}`] },
] as const)('npm start leaves no process running after $signal ($shell)', async ({ signal, shell }) => {
  const { child, lines, closed } = await runUntil(/Server listening/, 'start', shell);
  // A terminal sends SIGINT to the whole group.
  process.kill(signal === 'SIGINT' ? -(child.pid as number) : (child.pid as number), signal);
  await closed;
  expect(lines.filter((line) => line.includes('"stopping"'))).toHaveLength(1);
});

it('npm run demo stops after SIGKILL, and deletes its data', async () => {
  const { child, closed } = await runUntil(/Ctrl-C/, 'demo', [`--script-shell=${FORKING_SHELL}`]);
  child.kill('SIGKILL');
  await closed;
  expect((await readdir(directory.path)).filter((name) => name.startsWith('quotient-demo-'))).toEqual([]);
});
