import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

// Builds the package `quotient-client`, which the service serves as `/client.tgz`. Run by `npm run build:client`.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'packages/client');
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;

/** Bundlers drop unused modules (`sideEffects`), but not all unused code in one. So the chain has its own module. */
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
    if (!imports.every((name) => names.includes(name))) throw new Error('the bundle has external imports');
  }
  await build.close();
}

/** Bundles the compiler's declarations into one file, without private types. */
async function bundleTypes(file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'quotient-client-'));
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', work];
    const args = ['-p', SOURCE, '--rootDir', join(ROOT, 'packages'), ...emit];
    await promisify(execFile)(process.execPath, [compiler, ...args]);
    // Naming the generator keeps the plugin from loading TypeScript's API, which version 7 does not have.
    const plugin = dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc', tsconfig: false });
    const build = await rolldown({ input: join(work, 'client/index.d.ts'), plugins: [plugin] });
    const { output } = await build.generate({ format: 'esm', entryFileNames: 'index.d.ts' });
    await build.close();
    const [{ code, imports }, ...others] = output;
    if (others.length > 0 || imports.length > 0) throw new Error('the type declarations are not a single module');
    await writeFile(file, code);
  } finally {
    await rm(work, { recursive: true });
  }
}

/**
 * Empties `folder` and builds the package there. npm attests a package's origin only if the package names its
 * `repository`. Rejects if the bundle is incomplete.
 */
export async function buildClient(folder: string, repository?: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([bundle(folder), bundleTypes(join(folder, 'index.d.ts'))]);
  // The extension of a type file selects its module format.
  await copyFile(join(folder, 'index.d.ts'), join(folder, 'index.d.cts'));
  const manifest = await readJson(join(SOURCE, 'package.json'));
  const published = repository ? { ...manifest, repository: { type: 'git', url: `git+${repository}.git` } } : manifest;
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await copyFile(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Packs a built package into a file. npm gives all files the same time, so the same build has the same bytes. */
export async function packClient(folder: string, file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'quotient-client-'));
  try {
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', work, folder];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: work });
    await copyFile(join(work, stdout.trim()), file);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Builds the package in `dist/client`, and packs it into `dist/client.tgz`. */
export async function buildServedClient(): Promise<void> {
  const folder = join(ROOT, 'dist/client');
  await buildClient(folder);
  await packClient(folder, `${folder}.tgz`);
}

if (import.meta.main) await buildServedClient();
