import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerFault } from '#database/embedded/file-owner';
import { SHORT_LIVED } from '../support/node-arguments.ts';
import { bundled } from '../support/service/service-process.ts';
import { makeDirectory } from './run-command.ts';

// Each command is a process that opens a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const OTHER_USER = 65534;
const SAMPLE = new URL('../samples/export.csv', import.meta.url).pathname;
const ACCESSIBLE = 0o005;

/** Whether any user can read a directory and enter all directories above it. */
async function isReadableByAll(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  const parent = dirname(path);
  return (mode & ACCESSIBLE) === ACCESSIBLE && (parent === path || (await isReadableByAll(parent)));
}

const canRunAsOther = process.getuid?.() === 0 && (await isReadableByAll(process.cwd()));
if (!canRunAsOther) {
  console.log('Not root, or other users cannot read the checkout: the test of a data directory is skipped.');
}

it.each([
  [0, 54_321, /^\/data\/x belongs to uid 54321,.* root.*sudo -u '#54321'/],
  [0, 0, undefined],
  [1000, 1000, undefined],
  // The permissions of the files decide for a user other than root.
  [1000, 1001, undefined],
])('a process of user %i and a file of user %i', (uid, owner, expected) => {
  const fault = ownerFault('/data/x', owner, uid);
  if (expected) expect(fault).toMatch(expected);
  else expect(fault).toBeUndefined();
});

describe.runIf(canRunAsOther)('a data directory of another user', () => {
  let directory: Awaited<ReturnType<typeof makeDirectory>>;
  let dataDir: string;
  beforeAll(async () => {
    directory = await makeDirectory();
    dataDir = join(directory.path, 'data');
    await mkdir(dataDir);
    await chmod(directory.path, 0o755);
    await chown(dataDir, OTHER_USER, OTHER_USER);
  });
  afterAll(() => directory.remove());

  /** Starts a module as a user. `PORT` and `HOME` are for the service. */
  function start(uid: number, file: string, ...args: string[]) {
    const env = { DATA_DIR: dataDir, PORT: '0', HOME: directory.path };
    const child = spawn(process.execPath, [...SHORT_LIVED, file, ...args], { env, uid, gid: uid });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        output[stream] += text;
      });
    }
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
    return { child, output, ended };
  }
  const run = (...args: Parameters<typeof start>) => start(...args).ended;

  async function startService() {
    const service = start(OTHER_USER, bundled('serve'));
    await vi.waitUntil(
      () => /Server listening/.test(service.output.stdout) || service.child.exitCode !== null,
      120_000,
    );
    expect(service.output.stderr).toBe('');
    return {
      async stop() {
        service.child.kill('SIGTERM');
        expect((await service.ended).code).toBe(0);
      },
    };
  }

  async function ownersBelow(path: string): Promise<Set<number>> {
    const names = await readdir(path, { recursive: true });
    return new Set(await Promise.all(names.map(async (name) => (await stat(join(path, name))).uid)));
  }

  it('is not used by root directly, but through the service, and never has files of root', async () => {
    const line = expect.stringMatching(new RegExp(`^${dataDir}\\S* belongs to [^\\n]+\\n$`));
    const [restore, importing] = [
      [bundled('quotient'), 'database', 'restore', SAMPLE],
      [bundled('quotient'), 'archive', 'import', 'bitcoin', SAMPLE],
    ] as const;
    expect(await run(0, bundled('serve'))).toEqual({ code: 2, stdout: '', stderr: line });
    expect(await run(0, ...restore)).toEqual({ code: 2, stdout: '', stderr: line });
    expect(await readdir(dataDir)).toEqual([]);

    const service = await startService();
    expect(await run(0, ...importing)).toMatchObject({ code: 0, stdout: expect.stringContaining('3 added') });
    await service.stop();
    expect(await run(0, ...importing)).toEqual({ code: 2, stdout: '', stderr: line });
    expect(await run(0, bundled('serve'))).toEqual({ code: 2, stdout: '', stderr: line });
    expect(await ownersBelow(dataDir)).toEqual(new Set([OTHER_USER]));
  });

  it('is not opened if it has an inaccessible file, which the message names', async () => {
    const file = join(dataDir, 'postgres/base/of-root');
    await writeFile(file, '', { mode: 0o600 });
    for (const args of [[bundled('serve')], [bundled('quotient'), 'archive', 'status']] as const) {
      const { code, stderr } = await run(OTHER_USER, args[0], ...args.slice(1));
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^${file} [^\\n]*root[^\\n]*\\n$`))]);
    }
  });
});
