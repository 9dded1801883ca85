import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/*
 * Builds the package `quotient-client` into a folder: modules for any browser of the last years and Node from 18, the same
 * as CommonJS, a file of types for each, and what npm wants beside them. `npm run build:client`, then `npm pack ./dist/client`.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'packages/client');

const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;

/**
 * As CommonJS one module. As ES modules the chain is in one of its own, since a bundler leaves out whole modules that are
 * not used (`sideEffects`), but not all that is not used of one.
 */
async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    input: join(SOURCE, 'index.ts'),
    platform: 'neutral',
    transform: { target: 'es2022' },
  });
  const groups = [
    { name: 'transport', test: /\/client\/(?:(?:transport|generated)\/|error\.ts$)/, priority: 2 },
    { name: 'chain', test: /\/packages\/(client\/chain|cosmos)\//, priority: 1 },
  ];
  for (const options of [
    { format: 'esm', chunkFileNames: '[name].js', codeSplitting: { groups } },
    { format: 'cjs', entryFileNames: 'index.cjs', codeSplitting: false },
  ] as const) {
    const { output } = await build.write({ dir: folder, ...options });
    const names = output.map(({ fileName }) => fileName);
    const imports = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
    if (!imports.every((name) => names.includes(name))) throw new Error('the client imports something else');
  }
  await build.close();
}

/** The types of all modules as the compiler emits them, in one file without what nobody outside can see. */
async function bundleTypes(file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'quotient-client-'));
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', work];
    const args = ['-p', SOURCE, '--rootDir', join(ROOT, 'packages'), ...emit];
    await promisify(execFile)(process.execPath, [compiler, ...args]);
    // Nothing is left to compile: what compiles is named so that the plugin does not look for TypeScript's interface,
    // which version 7 has not.
    const plugin = dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc', tsconfig: false });
    const build = await rolldown({ input: join(work, 'client/index.d.ts'), plugins: [plugin] });
    const { output } = await build.generate({ format: 'esm', entryFileNames: 'index.d.ts' });
    await build.close();
    const [{ code, imports }, ...others] = output;
    if (others.length > 0 || imports.length > 0) throw new Error('the types are not one module');
    await writeFile(file, code);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Builds the package into `folder`, which is emptied first. Rejects when it does not hold together. */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([bundle(folder), bundleTypes(join(folder, 'index.d.ts'))]);
  // The extension decides what a file of types is about.
  await copyFile(join(folder, 'index.d.ts'), join(folder, 'index.d.cts'));
  const { version } = await readJson(join(ROOT, 'package.json'));
  const { name, ...rest } = await readJson(join(SOURCE, 'package.json'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`);
  await copyFile(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

if (import.meta.main) await buildClient(join(ROOT, 'dist/client'));
