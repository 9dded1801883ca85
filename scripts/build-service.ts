import { execFile } from 'node:child_process';
import { cp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTemplate } from '#database/embedded/template';

/*
 * Builds the service into a folder: JavaScript, and what the sources hold besides TypeScript. A process that strips the
 * types itself starts a quarter of a second later and is 25 MB larger for as long as it lives. With them are the files of a
 * new embedded database. `npm ci` does it, and `npm run build:service` does it again.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');

/**
 * Moves what the compiler emitted to where it runs: it keeps the folders of the checkout, but the service is at the top of
 * `folder` with the packages beside it.
 */
async function arrange(folder: string): Promise<void> {
  for (const part of ['src', 'packages']) {
    for (const name of await readdir(join(folder, part))) {
      await rename(join(folder, part, name), join(folder, name));
    }
    await rm(join(folder, part), { recursive: true });
  }
}

/**
 * Builds the service into `folder`, which is emptied first. It lies beside `prisma/`, `package.json` and `dist/`, as
 * `src/` does: the service looks for them there. Rejects when the compiler does not compile it.
 */
export async function buildService(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--project', join(ROOT, 'tsconfig.build.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, args).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  await arrange(folder);
  // What is built finds its own modules: the imports of the package above it name the sources.
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'module', imports: { '#*': './*.js' } })}\n`);
  await cp(SOURCE, folder, {
    recursive: true,
    filter: async (path) => (await stat(path)).isDirectory() || !path.endsWith('.ts'),
  });
  await writeTemplate(join(folder, 'database/embedded/template.gz'));
}

if (import.meta.main) await buildService(join(ROOT, 'build'));
