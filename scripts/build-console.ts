import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';
import { PLAN_NAMES, PLANS, termInWords } from '#accounts/ledger/plan';
import { footerHtml, headerHtml } from '#docs/pages/page';
import { hasEnded, servedCurrencies } from '#prices/model/currency';

// Builds the console, because browsers neither strip types nor resolve packages. Run by `npm ci` and `npm run
// build:console`.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'packages/console');
/** Assets that all pages share: the icon, the theme, and styles that `styles/index.css` imports. */
const SHARED = join(ROOT, 'src/docs/pages/assets');
const ASSETS = 'console';
/** Parts of the page in separate files: the menu and dialogs, and the view for visitors who are not signed in. */
const PARTS = ['dialogs', 'entrance'];
const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url').slice(0, 10);

/** Bundles the console. The charting library is a separate module that is loaded on first use. */
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

async function styleSheet(): Promise<Buffer> {
  const index = await readFile(join(SOURCE, 'styles/index.css'), 'utf8');
  const names = [...index.matchAll(/^@import "(.+)";$/gm)].map(([, name = '']) => name);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(SOURCE, 'styles', name)))));
}

const PERIODS = { 1: 'month', 12: 'year' } as const;

/** The plans in the sign-up form. The first plan is selected. */
const planChoice = () =>
  PLAN_NAMES.map((name, index) => {
    const { limit, months } = PLANS[name];
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return `<label class="plan"><input type="radio" name="plan" value="${name}" data-term="${termInWords(name)}"${index === 0 ? ' checked' : ''}> \
<span><strong>${title}</strong> ${limit.toLocaleString('en-US')} calls a ${PERIODS[months]}</span></label>`;
  }).join('\n');

const COINS: Readonly<Record<string, string>> = { btc: 'Bitcoin', eth: 'Ether' };

/** The currency options. Each starts with the code, so that typing the code finds the option. */
const currencyChoice = () => {
  const names = new Intl.DisplayNames('en', { type: 'currency' });
  const offered = servedCurrencies(true).filter((code) => !hasEnded(code));
  return offered
    .map((code) => {
      const written = code.toUpperCase();
      return `<option value="${code}">${written} · ${COINS[code] ?? names.of(written)}</option>`;
    })
    .join('');
};

const CHARTS =
  ' Charts: TradingView Lightweight Charts™, © 2026 <a href="https://www.tradingview.com/">TradingView, Inc.</a>';

/** Empties `folder`, and writes `index.html` and `console/` into it. Rejects if the page does not load an asset. */
export async function buildConsole(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, ASSETS), { recursive: true });
  let page = await readFile(join(SOURCE, 'index.html'), 'utf8');
  const replace = (from: string, to: string) => {
    if (!page.includes(from)) throw new Error(`index.html does not contain ${from}`);
    page = page.replace(from, to);
  };
  for (const part of PARTS) replace(`<!-- ${part} -->`, await readFile(join(SOURCE, `parts/${part}.html`), 'utf8'));
  const addAsset = async (source: string, name: string, content: Buffer) => {
    replace(`"${source}"`, `"${ASSETS}/${name}"`);
    await writeWithCodings(join(folder, ASSETS, name), content);
  };

  for (const { name, content, isEntry } of await bundle()) {
    if (isEntry) await addAsset('main.ts', name, content);
    else await writeWithCodings(join(folder, ASSETS, name), content);
  }
  const style = await styleSheet();
  await addAsset('styles/index.css', `style-${hashOf(style)}.css`, style);
  const theme = await readFile(join(SHARED, 'theme.js'));
  await addAsset('theme.js', `theme-${hashOf(theme)}.js`, theme);
  const icon = await readFile(join(SHARED, 'icon.svg'));
  await addAsset('icon.svg', `icon-${hashOf(icon)}.svg`, icon);
  replace('<!-- plans -->', planChoice());
  replace('<!-- currencies -->', currencyChoice());
  replace('<!-- header -->', headerHtml('./', 'console'));
  replace('<!-- footer -->', footerHtml('./', CHARTS));
  await writeFile(join(folder, 'index.html'), page);
}

if (import.meta.main) await buildConsole(join(ROOT, 'dist/console'));
