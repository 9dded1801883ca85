import { execFile } from 'node:child_process';
import { cp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTemplate } from '#stores/database/embedded/template';

/*
 * Builds the service into a folder: JavaScript, and what the sources hold besides TypeScript. A process that strips the
 * types itself starts a quarter of a second later and is 25 MB larger for as long as it lives. With them are the files of a
 * new embedded database. `npm ci` does it, and `npm run build:service` does it again.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
/** Packages of their own: what they are made of is no part of the service. */
const OTHERS = ['client', 'console'].map((room) => join(SOURCE, room));

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
  // What is built finds its own modules: the imports of the package above it name the sources.
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ type: 'module', imports: { '#*': './*.js' } })}\n`,
  );
  await cp(SOURCE, folder, {
    recursive: true,
    filter: async (path) =>
      !OTHERS.includes(path) && ((await stat(path)).isDirectory() || !path.endsWith('.ts')),
  });
  await writeTemplate(join(folder, 'stores/database/embedded/template.gz'));
}

if (import.meta.main) await buildService(join(ROOT, 'build'));
