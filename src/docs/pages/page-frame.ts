import { attributions } from '#docs/content/source-list';

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
    ([name, [path, title]]) =>
      `<a href="${root}${path}"${name === here ? ' aria-current="page"' : ''}>${title}</a>`,
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
