import { readFileSync } from 'node:fs';
import { escapeHtml } from '#core/record-fields';

/** Code within words. */
export const inlineCodeHtml = (code: string) => `<code>${escapeHtml(code)}</code>`;

/** Words with `code` and [links](…) in them, as HTML. */
export function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1
        ? inlineCodeHtml(part.slice(1, -1))
        : escapeHtml(part).replace(/\[([^\]]+)\]\(((?:https?:\/|[/#])[^)\s]*)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}

/** A block of code. */
export const codeHtml = (code: string) => `<pre>${inlineCodeHtml(code)}</pre>`;

/** Fenced code, which may have empty lines in it, or text up to an empty line. */
const BLOCK = /```[\s\S]*?\n```|\S(?:(?!\n\n)[\s\S])*/g;

function blockHtml(block: string): string {
  const fence = /^```\w*\n([\s\S]*)\n```$/.exec(block);
  if (fence) return codeHtml(fence[1] ?? '');
  if (!block.startsWith('* ')) return `<p>${inlineHtml(block)}</p>`;
  const items = block.slice(2).split('\n* ');
  return `<ul>\n${items.map((item) => `<li>${itemHtml(item)}</li>`).join('\n')}\n</ul>`;
}

/** An item of a list, which may have a list in it, two spaces further in. */
function itemHtml(item: string): string {
  const [words = '', ...nested] = item.split('\n  * ');
  if (nested.length === 0) return inlineHtml(words);
  return `${inlineHtml(words)}\n<ul>\n${nested.map((one) => `<li>${inlineHtml(one)}</li>`).join('\n')}\n</ul>`;
}

/**
 * The little of Markdown that our own words are written in, as HTML: paragraphs, lists (of two levels) and fenced code, an
 * empty line between any two of them; `code` and [links](…) within.
 */
export const toHtml = (markdown: string) => (markdown.match(BLOCK) ?? []).map(blockHtml).join('\n');

const packageJson = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The version of the service. */
export const { version: VERSION } = JSON.parse(packageJson) as { version: string };
