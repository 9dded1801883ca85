import { attributions } from '#docs/source-list';

type Page = {
  title: string;
  /** Which of the links at the top leads to this very page, if one does. */
  here?: Here;
  main: string;
  /** What the head has beside the title and what all pages load. */
  head?: string;
};

/** Where the files are that the pages load. */
export const assetsOf = (basePath: string) => `${basePath}/docs/static`;

/** A page: what all of them have around what each has to say. */
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

/** The pages for people: the path below the base path, and the title. */
const PAGES = {
  console: ['', 'Console'],
  docs: ['docs', 'Docs'],
  problems: ['docs/problems', 'Problems'],
  status: ['status', 'Status'],
} as const;

/** Which of the pages it is. */
export type Here = keyof typeof PAGES;

const LOGO =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M7 21.5 13 14l5 4.5L25 9"/><path class="baseline" d="M7 26h18"/></svg>';

/** What is in the header of every page, the console too: where else one can go, and the theme. `root` is the base path and a slash. */
export function headerHtml(root: string, here?: Here): string {
  const links = Object.entries(PAGES).map(
    ([name, [path, title]]) => `<a href="${root}${path}"${name === here ? ' aria-current="page"' : ''}>${title}</a>`,
  );
  return `<a class="brand" href="${root}" aria-label="Quotient, home">${LOGO}<span>Quotient</span></a>
<nav class="pages" aria-label="Pages">${links.join('')}</nav>
<label class="theme"><span class="unseen">Theme</span>
<select id="theme" autocomplete="off"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>`;
}

const link = (title: string, url: string) => `<a href="${url}">${title}</a>`;

/** What is in the footer of every page; `more` is what one of them adds. */
export const footerHtml = (root: string, more = '') =>
  `<p>${attributions(link).join('. ')}.${more} Times are in UTC.</p>
<p class="for-programs">For programs: <a href="${root}openapi.json">openapi.json</a> <a href="${root}llms.txt">llms.txt</a></p>`;

/** A part of a path that may be shown to whoever asked for it: a word. What is longer or odd may be a secret. */
const WORD = /^[\w.~-]{1,32}$/;
/** Of more words, the rest is left out: twelve and more are a seed phrase. */
const WORDS = 5;

/** The path of a URL as a page may show it: short, and without what may be a secret. */
export function shownPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').slice(1);
  const shown = parts.slice(0, WORDS).map((part) => (part === '' || WORD.test(part) ? part : '…'));
  return `/${shown.join('/')}${parts.length > WORDS ? '/…' : ''}`;
}
