import { execFile } from 'node:child_process';
import { chmod, cp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTemplate } from '#database/embedded/template';
import { TOPICS } from '#docs/site/topics';

// Compiles the service. Stripping types at run time would add 0.25 s to the start and use 25 MB more memory. Run by
// `npm run build:service`.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const run = promisify(execFile);

/** Moves the contents of `src/` and `packages/` to the top level, because the compiler keeps the checkout's folders. */
async function arrange(folder: string): Promise<void> {
  for (const part of ['src', 'packages']) {
    for (const name of await readdir(join(folder, part))) await rename(join(folder, part, name), join(folder, name));
    await rm(join(folder, part), { recursive: true });
  }
}

/** The commit that the image's build names, or the commit of the checkout. */
async function revision(): Promise<string> {
  const { REVISION } = process.env;
  if (REVISION && REVISION !== 'unknown') return REVISION;
  const head = run('git', ['rev-parse', 'HEAD'], { cwd: ROOT });
  return head.then(
    ({ stdout }) => stdout.trim(),
    () => 'unknown',
  );
}

/** Copies the Markdown files that `/docs` serves. */
async function copyManual(folder: string): Promise<void> {
  for (const file of new Set(TOPICS.map((topic) => topic.file))) await cp(join(ROOT, file), join(folder, file));
}

/**
 * Empties `folder` and writes the build into it. Like `src/`, the folder must be next to `prisma/`, `package.json` and
 * `dist/`.
 */
export async function buildService(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--project', join(ROOT, 'tsconfig.build.json'), '--outDir', folder];
  await run(process.execPath, args).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  await arrange(folder);
  // The build needs its own `imports`, because those in the parent folder's package refer to the sources.
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'module', imports: { '#*': './*.js' } })}\n`);
  await cp(SOURCE, folder, {
    recursive: true,
    filter: async (path) => (await stat(path)).isDirectory() || !/\.(ts|md)$/.test(path),
  });
  await copyManual(join(folder, 'docs/manual'));
  await chmod(join(folder, 'cli/quotient.js'), 0o755);
  await writeFile(join(folder, 'revision'), `${await revision()}\n`);
  await writeTemplate(join(folder, 'database/embedded/template.gz'));
}

if (import.meta.main) await buildService(join(ROOT, 'build'));
