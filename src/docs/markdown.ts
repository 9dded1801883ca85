import { escapeHtml } from '#core/record-fields';

export const inlineCodeHtml = (code: string) => `<code>${escapeHtml(code)}</code>`;

/** Converts text with `code` and [links](…). */
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

export const codeHtml = (code: string) => `<pre>${inlineCodeHtml(code)}</pre>`;

/** Fenced code, which may contain empty lines, or text up to an empty line. */
const BLOCK = /```[\s\S]*?\n```|\S(?:(?!\n\n)[\s\S])*/g;

function blockHtml(block: string): string {
  const fence = /^```\w*\n([\s\S]*)\n```$/.exec(block);
  if (fence) return codeHtml(fence[1] ?? '');
  if (!block.startsWith('* ')) return `<p>${inlineHtml(block)}</p>`;
  const items = block.slice(2).split('\n* ');
  return `<ul>\n${items.map((item) => `<li>${itemHtml(item)}</li>`).join('\n')}\n</ul>`;
}

/** A list item may contain a nested list, indented by two spaces. */
function itemHtml(item: string): string {
  const [words = '', ...nested] = item.split('\n  * ');
  if (nested.length === 0) return inlineHtml(words);
  return `${inlineHtml(words)}\n<ul>\n${nested.map((one) => `<li>${inlineHtml(one)}</li>`).join('\n')}\n</ul>`;
}

/** Converts paragraphs, lists of two levels, fenced code, and inline `code` and [links](…). */
export const toHtml = (markdown: string) => (markdown.match(BLOCK) ?? []).map(blockHtml).join('\n');
