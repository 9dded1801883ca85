import { attributions } from './source-list.ts';

type Page = { title: string; here?: Here; main: string; head?: string };

export const assetsOf = (basePath: string) => `${basePath}/docs/static`;

export function htmlPage(basePath: string, { title, here, main, head = '' }: Page): string {
  const assets = assetsOf(basePath);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
<link rel="stylesheet" href="${assets}/page.css">
<script src="${assets}/theme.js"></script>
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
${headerHtml(`${basePath}/`, here)}
</header>
<main id="content" class="prose" tabindex="-1">
${main}
</main>
<footer>
${footerHtml(`${basePath}/`)}
</footer>
</body>
</html>
`;
}

const PAGES = {
  console: ['', 'Console'],
  docs: ['docs', 'Docs'],
  problems: ['docs/problems', 'Problems'],
  status: ['status', 'Status'],
} as const;

type Here = keyof typeof PAGES;

const LOGO =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M7 21.5 13 14l5 4.5L25 9"/><path class="baseline" d="M7 26h18"/></svg>';

const brandHtml = (root: string) =>
  `<a class="brand" href="${root}" aria-label="Quotient, home">${LOGO}<span>Quotient</span></a>`;

const themeHtml = () => `<label class="theme"><span class="unseen">Theme</span>
<select id="theme" autocomplete="off"><option value="system">System theme</option><option value="light">Light theme</option><option value="dark">Dark theme</option></select></label>`;

/** The header of every page, including the console. `root` is the base path with a trailing slash. */
function headerHtml(root: string, here?: Here): string {
  const links = Object.entries(PAGES).map(
    ([name, [path, title]]) => `<a href="${root}${path}"${name === here ? ' aria-current="page"' : ''}>${title}</a>`,
  );
  return `${brandHtml(root)}
<nav class="pages" aria-label="Pages">${links.join('')}</nav>
${themeHtml()}`;
}

const link = (title: string, url: string) => `<a href="${url}">${title}</a>`;

export const footerHtml = (root: string, more = '') =>
  `<p>${attributions(link).join('. ')}.${more}</p>
<p>Times are in UTC.</p>
<p class="for-programs">For programs: <a href="${root}openapi.json">openapi.json</a> <a href="${root}llms.txt">llms.txt</a></p>`;

/** A path segment that may be displayed. A longer or unusual segment may be a secret. */
const WORD = /^[\w.~-]{1,32}$/;
/** The maximum number of displayed segments. Twelve or more words may be a seed phrase. */
const WORDS = 5;

/** The path of a URL, shortened, with possible secrets removed. */
export function shownPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').slice(1);
  const shown = parts.slice(0, WORDS).map((part) => (part === '' || WORD.test(part) ? part : '…'));
  return `/${shown.join('/')}${parts.length > WORDS ? '/…' : ''}`;
}
