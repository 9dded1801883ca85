import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'quotient-checkout-'));
  for (const name of ['node_modules', 'src']) await symlink(resolve(name), join(root, name));
  for (const name of ['package.json', 'scripts']) await cp(name, join(root, name), { recursive: true });
});
afterAll(() => rm(root, { recursive: true, force: true }));

it.each(Object.entries(scripts))('%s is a program and words', (_name, script) => {
  expect(script).toMatch(/^(node|vitest|biome)( [\w./:-]+)*$/);
  const [program, file = ''] = script.split(' ');
  if (program !== 'node' || file === '--watch') return;
  const source = file.replace(/^build\/(.*)\.js$/, 'src/$1.ts');
  expect([source, existsSync(source)]).toEqual([source, true]);
});

it('prepare skips the build without the development dependencies, and explains the consequence', async () => {
  const prepare = async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'scripts/prepare.js')]);
    expect(stderr).toBe('');
    return stdout;
  };
  await rm(join(root, 'node_modules'));
  await rm(join(root, 'build'), { recursive: true, force: true });

  const copyHint = /^Build skipped: the development dependencies are not installed\. Copy build\/.*\n$/;
  for (const file of [
    'dist/console/index.html',
    'dist/operator/index.html',
    'dist/client.tgz',
    'build/cli/quotient.js',
  ]) {
    expect(await prepare()).toMatch(copyHint);
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), 'as it was');
  }
  expect(await prepare()).toMatch(/^Build skipped: .*\. build\/ and dist\/ are unchanged\.\n$/);
  expect(await readFile(join(root, 'build/cli/quotient.js'), 'utf8')).toBe('as it was');
});
