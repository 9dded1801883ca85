import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';

/*
 * Builds the page at `/` into a folder: a browser strips no types and finds no packages. `npm ci` does it, and
 * `npm run build:console` does it again.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src/console');

/** Where the modules, the style sheet and the icon are, below the page. */
const ASSETS = 'console';

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url').slice(0, 10);

/** The modules of the page: the charting library is in one of its own, for when there is something to draw. */
async function bundle(): Promise<{ name: string; content: Buffer; isEntry: boolean }[]> {
  const build = await rolldown({
    input: join(SOURCE, 'main.ts'),
    platform: 'browser',
    transform: { target: 'es2022' },
  });
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    entryFileNames: 'main-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output.map((chunk) => {
    if (chunk.type !== 'chunk') throw new Error(`${chunk.fileName} is no module`);
    return { name: chunk.fileName, content: Buffer.from(chunk.code), isEntry: chunk.isEntry };
  });
}

/** Writes a file, and beside it what it is in each content coding. */
async function writeWithCodings(file: string, content: Buffer): Promise<void> {
  const brotli = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, brotli),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(file, content), writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

/**
 * Builds the page into `folder`, which is emptied first: `index.html`, and in `console/` what it loads, each under a
 * name that is another when its content is. Rejects when the page names a file that is not there.
 */
export async function buildConsole(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, ASSETS), { recursive: true });
  let page = await readFile(join(SOURCE, 'index.html'), 'utf8');
  const point = (from: string, to: string) => {
    if (!page.includes(`"${from}"`)) throw new Error(`the page does not load ${from}`);
    page = page.replace(`"${from}"`, `"${ASSETS}/${to}"`);
  };

  const modules = await bundle();
  for (const { name, content, isEntry } of modules) {
    if (isEntry) point('main.ts', name);
    await writeWithCodings(join(folder, ASSETS, name), content);
  }
  for (const source of ['style.css', 'icon.svg']) {
    const content = await readFile(join(SOURCE, source));
    const ending = extname(source);
    const name = `${basename(source, ending)}-${hashOf(content)}${ending}`;
    point(source, name);
    await writeWithCodings(join(folder, ASSETS, name), content);
  }
  await writeWithCodings(join(folder, 'index.html'), Buffer.from(page));
}

if (import.meta.main) await buildConsole(join(ROOT, 'dist/console'));
