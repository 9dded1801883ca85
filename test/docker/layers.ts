import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docker } from './stack.ts';

const run = promisify(execFile);

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-layers-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The paths of all files in all layers of an image, including files that a later layer deletes. */
export function filesOfLayers(image: string): Promise<string[]> {
  return inFolder(async (folder) => {
    await docker('save', '--output', join(folder, 'image.tar'), image);
    await run('tar', ['-xf', join(folder, 'image.tar'), '-C', folder]);
    const [{ Layers }] = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    const lists = (Layers as string[]).map((layer) =>
      run('tar', ['-tf', join(folder, layer)], { maxBuffer: 64 * 2 ** 20 }),
    );
    const lines = (await Promise.all(lists)).flatMap(({ stdout }) => stdout.split('\n'));
    return lines.map((line) => line.replace(/^\.\//, '')).filter((line) => line !== '' && !line.endsWith('/'));
  });
}

/** The paths of all files in Docker's build context of this repository. */
export function filesOfContext(): Promise<string[]> {
  return inFolder(async (folder) => {
    const dockerfile = join(folder, 'Dockerfile');
    await writeFile(dockerfile, 'FROM scratch\nCOPY . .\n');
    const context = join(folder, 'context');
    await docker('build', '--quiet', '--file', dockerfile, '--output', `type=local,dest=${context}`, '.');
    const entries = await readdir(context, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(context.length + 1));
  });
}
