import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from '#core/forms/record-fields';
import { highlightHtml } from './highlight.ts';

export const inlineCodeHtml = (code: string) => `<code>${escapeHtml(code)}</code>`;

export const codeBlock = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

export const codeHtml = (code: string, language?: string) => `<pre><code>${highlightHtml(code, language)}</code></pre>`;

/** The anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The targets that a link may have: pages of the service, and URLs on the web. */
const TARGET = /^(https?:\/|[/#])/;

/** A table with this number of columns does not fit on a phone, so it can be scrolled. */
const WIDE = 3;

/** Shows HTML in the source as text, and creates links only where the source contains Markdown links. */
const marked = new Marked({
  tokenizer: { url: () => undefined, autolink: () => undefined },
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return TARGET.test(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
    },
    code: ({ text, lang }) => `${codeHtml(text, lang)}\n`,
    // The section around a second-level heading has the anchor of the heading.
    heading({ tokens, depth, text }) {
      const anchor = anchorOf(text);
      const id = depth > 2 ? ` id="${anchor}"` : '';
      return `<h${depth}${id}><a href="#${anchor}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
    },
    table(token) {
      const html = Renderer.prototype.table.call(this, token);
      if (token.header.length < WIDE) return html;
      const label = `Table: ${token.header.map(({ text }) => text.replaceAll('`', '')).join(', ')}`;
      return `<div class="wide" role="group" tabindex="0" aria-label="${escapeHtml(label)}">\n${html}</div>\n`;
    },
    tablecell: ({ header, text }) => (header && text === '' ? '<td></td>\n' : false),
  },
});

export const inlineHtml = (text: string) => marked.parseInline(text, { async: false });

export const toHtml = (markdown: string) => marked.parse(markdown, { async: false }).trimEnd();

/** A part of a text: a section of the second level with its anchor, or the text before the first section. */
export type Section = { id: string; title: string; markdown: string; anchors: string[] };

const isContents = (token: Tokens.Generic) =>
  token.type === 'list' && (token as Tokens.List).items.every(({ text }) => /^\[[^\]]+\]\(#[^)]+\)$/.test(text.trim()));

/** Splits a text at its second-level headings. Omits its title and its table of contents. */
export function sectionsOf(markdown: string): [introduction: Section, ...sections: Section[]] {
  const introduction: Section = { id: '', title: '', markdown: '', anchors: [] };
  const sections: [Section, ...Section[]] = [introduction];
  let section = introduction;
  for (const token of marked.lexer(markdown)) {
    const { text = '', depth } = token as Partial<Tokens.Heading>;
    if (token.type === 'heading' && depth === 1) continue;
    if (token.type === 'heading' && depth === 2) {
      section = { id: anchorOf(text), title: text, markdown: '', anchors: [] };
      sections.push(section);
    }
    if (token.type === 'heading') section.anchors.push(anchorOf(text));
    if (section !== introduction || !isContents(token)) section.markdown += token.raw;
  }
  return sections;
}

const FENCED = /(^ *```[\s\S]*?^ *```$)/m;

/** Replaces the target of each link. A link without a new target becomes text. */
export const withTargets = (markdown: string, targetOf: (target: string) => string | undefined): string =>
  markdown
    .split(FENCED)
    .map((part, place) =>
      place % 2 === 1
        ? part
        : part.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, text, target) => {
            const to = targetOf(target);
            return to === undefined ? text : `[${text}](${to})`;
          }),
    )
    .join('');
