import { setImmediate } from 'node:timers/promises';

export type Content = { html: string; markdown: string };

/** A page under `/docs`. `path` is empty for the start page. */
export type Page = {
  path: string;
  title: string;
  summary: string;
  group: string;
  content: () => Content | Promise<Content>;
};

export const addressOf = (basePath: string, path: string) => `${basePath}/docs${path && `/${path}`}`;
export const markdownAddressOf = (basePath: string, path: string) => `${addressOf(basePath, path)}.md`;

/** A section or a subsection of a page. `address` is the method and the path of an operation. */
export type Part = { id: string; title: string; address: string; html: string; isSection: boolean };

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export const textOf = (html: string) =>
  html
    .replace(/<(?!\/?(?:code|wbr|a|span|strong|em)\b)[^>]+>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

export const partsOf = (html: string): Part[] =>
  html.split(/(?=<section id="|<h3 id=")/).flatMap((part) => {
    const [, tag, id] = /^<(section|h3) id="([^"]+)"/.exec(part) ?? [];
    if (id === undefined) return [];
    const title = textOf(/<h[23][^>]*>(.*?)<\/h[23]>/s.exec(part)?.[1] ?? '');
    const address = textOf(/<p class="address">(.*?)<\/p>/s.exec(part)?.[1] ?? '');
    return [{ id, title, address, html: part, isSection: tag === 'section' }];
  });

/** An entry of the search. `words` are the distinct words of the text. `isField` marks a field of an operation. */
type SearchEntry = { title: string; note: string; href: string; words: string; isField?: true };

const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))].join(' ');

/** The rows of a table with one field each. A shared parameter has its own anchor. */
const FIELD = /<tr(?: id="([^"]+)")?><th scope="row"><code>(.*?)<\/code>(.*?)<\/tr>/gs;

function fieldEntries(html: string, page: Page, section: { title: string; href: string }, address: string) {
  return [...html.matchAll(FIELD)].flatMap(([row, id, name = '']): SearchEntry[] => {
    const title = textOf(name);
    if (id !== undefined) return [{ title, note: page.title, href: `${address}#${id}`, words: wordsOf(textOf(row)) }];
    // The description of a shared parameter is on another page.
    if (row.includes('#parameter-')) return [];
    return [{ title, note: `in: ${section.title}`, href: section.href, words: wordsOf(textOf(row)), isField: true }];
  });
}

function entriesOf(basePath: string, page: Page, { html }: Content): SearchEntry[] {
  const address = addressOf(basePath, page.path);
  const found: SearchEntry[] = [
    { title: page.title, note: page.group, href: address, words: wordsOf(`${page.title} ${page.summary}`) },
  ];
  for (const part of partsOf(html)) {
    const href = `${address}#${part.id}`;
    const { title } = part;
    found.push({ title, note: part.address || page.title, href, words: wordsOf(textOf(part.html)) });
    found.push(...fieldEntries(part.html, page, { title, href }, address));
  }
  return [...new Map(found.map((entry) => [`${entry.title} ${entry.href}`, entry])).values()];
}

/** The search index of all pages. Other requests are served between two pages. */
export async function searchIndex(basePath: string, pages: readonly Page[]): Promise<SearchEntry[]> {
  const entries: SearchEntry[] = [];
  for (const page of pages) {
    // The start page only repeats the titles of other pages.
    if (page.path !== '') entries.push(...entriesOf(basePath, page, await page.content()));
    await setImmediate();
  }
  return entries;
}
