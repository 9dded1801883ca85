import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';

// Builds the pages that are programs, the console and the operator's: browsers neither strip types nor resolve packages.

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Assets that all pages share: the icon, the theme, and styles that each `styles/index.css` imports. */
const SHARED = join(ROOT, 'src/web/assets');
const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url').slice(0, 10);

/** Bundles the modules. A module that is imported on first use remains separate. */
async function bundle(source: string): Promise<{ name: string; content: Buffer; isEntry: boolean }[]> {
  const build = await rolldown({
    input: join(source, 'main.ts'),
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
    if (chunk.type !== 'chunk') throw new Error(`${chunk.fileName} is not a module`);
    return { name: chunk.fileName, content: Buffer.from(chunk.code), isEntry: chunk.isEntry };
  });
}

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

async function styleSheet(source: string): Promise<Buffer> {
  const index = await readFile(join(source, 'styles/index.css'), 'utf8');
  const names = [...index.matchAll(/^@import "(.+)";$/gm)].map(([, name = '']) => name);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(source, 'styles', name)))));
}

type Page = {
  /** The package. */
  source: string;
  /** The folder of the assets, beside `index.html`. */
  assets: string;
  /** The HTML that replaces `<!-- name -->` in `index.html`, besides that of the files in `parts`. */
  fill: Readonly<Record<string, string>>;
  /** Files in `parts` that are inserted into `index.html`. */
  parts: readonly string[];
};

/** Empties `folder`, and writes `index.html` and the assets into it. Rejects if the page does not load an asset. */
export async function buildPage(folder: string, { source, assets, fill, parts }: Page): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, assets), { recursive: true });
  let page = await readFile(join(source, 'index.html'), 'utf8');
  const replace = (from: string, to: string) => {
    if (!page.includes(from)) throw new Error(`index.html does not contain ${from}`);
    page = page.replaceAll(from, to);
  };
  for (const part of parts) replace(`<!-- ${part} -->`, await readFile(join(source, `parts/${part}.html`), 'utf8'));
  const addAsset = async (from: string, name: string, content: Buffer) => {
    replace(`"${from}"`, `"${assets}/${name}"`);
    await writeWithCodings(join(folder, assets, name), content);
  };

  for (const { name, content, isEntry } of await bundle(source)) {
    if (isEntry) await addAsset('main.ts', name, content);
    else await writeWithCodings(join(folder, assets, name), content);
  }
  const style = await styleSheet(source);
  await addAsset('styles/index.css', `style-${hashOf(style)}.css`, style);
  const theme = await readFile(join(SHARED, 'theme.js'));
  await addAsset('theme.js', `theme-${hashOf(theme)}.js`, theme);
  const icon = await readFile(join(SHARED, 'icon.svg'));
  await addAsset('icon.svg', `icon-${hashOf(icon)}.svg`, icon);
  for (const [name, html] of Object.entries(fill)) replace(`<!-- ${name} -->`, html);
  await writeFile(join(folder, 'index.html'), page);
}
