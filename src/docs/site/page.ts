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
