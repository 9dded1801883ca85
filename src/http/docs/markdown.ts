import { escapeHtml } from '#domain/html';

/** Words with `code` and [links](…) in them, as HTML. */
export function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part).replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}

/** A block of code; it takes the keyboard's focus, to be scrolled where it is too wide. */
export const codeHtml = (code: string, label: string) =>
  `<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${escapeHtml(code)}</code></pre>`;

function blockHtml(block: string, label: string): string {
  const fence = /^```\w*\n([\s\S]*)\n```$/.exec(block);
  if (fence) return codeHtml(fence[1] ?? '', label);
  if (!block.startsWith('* ')) return `<p>${inlineHtml(block)}</p>`;
  const items = block.slice(2).split('\n* ');
  return `<ul>\n${items.map((item) => `<li>${inlineHtml(item)}</li>`).join('\n')}\n</ul>`;
}

/**
 * The little of Markdown that our own words are written in, as HTML: paragraphs, lists and fenced code, an empty line
 * between any two of them; `code` and [links](…) within. `label` names a block of code to whoever does not see it. It
 * is for our words alone, not for anybody's input.
 */
export const toHtml = (markdown: string, label: string) =>
  markdown
    .split('\n\n')
    .map((block) => blockHtml(block, label))
    .join('\n');
