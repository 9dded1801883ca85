import { createHash } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { HOUR } from '#core/clock';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the bundled `serve.js` and `quotient.js`. */
    serviceBundle: string;
  }
}

const CACHE = resolve('node_modules/.cache/quotient-tests');
const SOURCES = ['src', 'packages'];

/** Changes with every source and with the installed packages. */
async function versionOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const listings = await Promise.all(SOURCES.map((folder) => readdir(folder, { recursive: true })));
  const files = listings.flatMap((names, i) => names.map((name) => join(SOURCES[i] as string, name))).sort();
  for (const file of [...files, 'package.json', 'package-lock.json']) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Sources find their files relative to themselves. */
const atTheirSource: Plugin = {
  name: 'at-their-source',
  transform: (code, id) =>
    id.includes('/node_modules/') || !code.includes('import.meta.url')
      ? undefined
      : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
};

async function bundle(): Promise<string> {
  const name = `service-${await versionOfSources()}`;
  const old = (await readdir(CACHE).catch(() => [])).filter((one) => one.startsWith('service-'));
  const folder = join(CACHE, name);
  if (old.includes(name)) return folder;
  const build = await rolldown({
    input: { serve: 'src/serve.ts', quotient: 'src/cli/quotient.ts' },
    platform: 'node',
    // The embedded database loads its files relative to its package.
    external: /^@electric-sql\//,
    plugins: [atTheirSource],
  });
  const partial = join(CACHE, `partial-${process.pid}`);
  await build.write({ dir: partial });
  await build.close();
  // Otherwise, Node parses each file once more to find its format.
  await writeFile(join(partial, 'package.json'), '{ "type": "module" }');
  await rename(partial, folder);
  // A run that started before the last change may still use an older bundle.
  for (const one of old) {
    const { mtimeMs } = await stat(join(CACHE, one));
    if (mtimeMs < Date.now() - HOUR) await rm(join(CACHE, one), { recursive: true, force: true });
  }
  return folder;
}

/** Each project loads this module separately. */
const run = globalThis as typeof globalThis & { serviceBundle?: Promise<string> };

/**
 * Bundles the service and its packages for tests that start processes. Otherwise, more than half of a start is spent on
 * finding a thousand files.
 */
export default async function setUp(project: TestProject): Promise<void> {
  run.serviceBundle ??= bundle();
  project.provide('serviceBundle', await run.serviceBundle);
}
