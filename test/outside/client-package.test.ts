import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildClient } from '../../scripts/build-client.ts';

let folder: string;
let archive: string;
const run = promisify(execFile);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-package-'));
  await buildClient(join(folder, 'built'));
  const { stdout } = await run('npm', ['pack', './built', '--json'], { cwd: folder });
  archive = JSON.parse(stdout)[0].filename;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['attw', '@arethetypeswrong/cli/dist/index.js', () => [archive]],
  ['publint', 'publint/src/cli.js', () => ['./built', '--strict']],
])('the package of the client passes %s', async (_name, program, args) => {
  const file = resolve(import.meta.dirname, 'node_modules', program);
  await run(process.execPath, [file, ...args()], { cwd: folder }).catch(({ stdout, stderr }) =>
    expect.fail(`${stdout}\n${stderr}`),
  );
});
