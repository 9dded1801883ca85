import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docker } from './stack.ts';

const run = promisify(execFile);

/** The paths of all files in all layers of an image, including files that a later layer deletes. */
export async function filesOfLayers(image: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-layers-'));
  try {
    await docker('save', '--output', join(folder, 'image.tar'), image);
    await run('tar', ['-xf', join(folder, 'image.tar'), '-C', folder]);
    const [{ Layers }] = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    const lists = (Layers as string[]).map((layer) =>
      run('tar', ['-tf', join(folder, layer)], { maxBuffer: 64 * 2 ** 20 }),
    );
    const lines = (await Promise.all(lists)).flatMap(({ stdout }) => stdout.split('\n'));
    return lines.map((line) => line.replace(/^\.\//, '')).filter((line) => line !== '' && !line.endsWith('/'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
