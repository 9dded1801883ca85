import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseDockerIgnore } from './docker-ignore.ts';

/** Files that no image may contain and that git ignores: secrets and leftover files. */
async function strayFiles(): Promise<string[]> {
  const ignored = (await readFile('.gitignore', 'utf8')).split('\n').filter((line) => line !== '');
  const names = ignored.map((line) => (line.endsWith('/') ? `${line}stray.ts` : line.replace('*', 'stray')));
  // A pattern that contains a slash applies only to the root.
  const anywhere = ignored.map((line) => !line.slice(0, -1).includes('/'));
  const nested = names.filter((_, place) => anywhere[place]);
  const secrets = ['.env.local', '.npmrc', 'tls.key', 'tls.pem', '.git/config'];
  return [...secrets, ...names, ...[...secrets, ...nested].map((name) => `src/${name}`)];
}

/**
 * Creates the build context's folder from a checkout in use. The folder contains the files that git tracks or would
 * add, and stray files, except those that `.dockerignore` excludes. Returns the paths of the stray files that are not
 * excluded.
 */
export async function makeContext(folder: string): Promise<string[]> {
  const isAdmitted = parseDockerIgnore(await readFile('.dockerignore', 'utf8'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  const files = list.split('\0').filter((file) => file !== '' && isAdmitted(file) && existsSync(file));
  for (const file of files) await cp(file, join(folder, file));
  const strays = (await strayFiles()).filter(isAdmitted);
  for (const file of strays) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  return strays;
}
