import { escapeHtml } from '#core/forms/record-fields';
import { ATTRIBUTION, SLOGAN, SUMMARY } from '#docs/guide/guide';
import { inlineHtml } from '#docs/markdown';
import type { Tag } from '#docs/openapi/schemas';
import type { Entry } from '#docs/reference/document';
import { methodHtml } from '#docs/reference/operation-html';
import { toHtmlPage, toMarkdown } from './manual.ts';
import type { Content, Page } from './page.ts';

/** Frequent questions. Most IDs are anchors of the former single page, so that an old address leads to the entry. */
const QUESTIONS: readonly [id: string, title: string, path: string, section?: string][] = [
  ['key', 'Get a key', 'getting-started', 'get-a-key'],
  ['first-call', 'Make the first call', 'getting-started', 'make-the-first-call'],
  ['history', 'Read the history, also as CSV', 'history', 'price-on-a-date'],
  ['spreadsheets', 'Import prices into a spreadsheet', 'api', 'spreadsheets'],
  ['dates', 'Dates and times', 'api', 'dates-and-times'],
  ['limits', 'Plans and the cost of a call', 'plans'],
  ['too-many-requests', '429 responses', 'plans', '429-responses'],
  ['usage', 'Count the calls of each key', 'plans', 'usage-by-key-and-path'],
  ['failed-requests', 'Find a failed request', 'request-log'],
  ['renewal', 'Renew a key', 'plans', 'expiry-and-renewal'],
  ['web-page', 'Use in a web page', 'keys', 'use-in-a-web-page'],
  ['leaked-key', 'Replace (rotate) a key', 'keys', 'leaked-keys'],
  ['webhook-signature', 'Verify a webhook', 'webhooks', 'verify-the-signature'],
  ['account', 'Delete the account', 'keys', 'deleting-the-account'],
  ['freshness', 'Caching and freshness', 'api', 'caching'],
  ['errors', 'Errors', 'api', 'errors'],
  ['rules', 'Parameters of all paths', 'api', 'parameters'],
  ['client', 'The JavaScript client', 'client'],
  ['node', 'The node', 'node'],
  ['shared-problems', 'Problems of all paths', 'reference', 'shared-problems'],
  ['shared-headers', 'Response headers', 'reference', 'shared-headers'],
  ['shared-parameters', 'Parameters of several paths', 'reference', 'shared-parameters'],
];

export const referencePath = (tag: string) => `reference/${tag}`;

type Options = { basePath: string; pages: readonly Page[]; tags: readonly Tag[]; entries: readonly Entry[] };

export function overview({ basePath, pages, tags, entries }: Options): Content {
  const to = toHtmlPage(basePath);
  const toText = toMarkdown(basePath);
  const [, ...others] = [...new Set(pages.map(({ group }) => group))];
  const groups = others.map((group) => ({ group, own: pages.filter((page) => page.group === group) }));
  const cards = groups.map(
    ({ group, own }) => `<section id="pages-${group.toLowerCase().replaceAll(' ', '-')}" class="topic">
<h2>${group}</h2>
<ul class="cards">
${own.map(({ path, title, summary }) => `<li><a href="${to(path)}">${title}</a> <span class="soft">${summary}</span></li>`).join('\n')}
</ul>
</section>`,
  );
  const questions = QUESTIONS.map(
    ([id, title, path, section]) => `<li id="${id}" class="moved"><a href="${to(path, section)}">${title}</a></li>`,
  );
  const endpoints = tags.map(({ name, description }) => {
    const own = entries.filter(({ tag }) => tag === name);
    const rows = own.map(
      ({ id, method, path, title }) =>
        `<li id="${escapeHtml(id)}" class="moved"><a href="${to(referencePath(name), id)}"><span class="name">${inlineHtml(title)}</span> \
<span class="path">${methodHtml(method)} ${escapeHtml(path).replaceAll('/', '/<wbr>')}</span></a></li>`,
    );
    return `<h3 id="all-${name}">${escapeHtml(description)}</h3>\n<ul class="endpoints">\n${rows.join('\n')}\n</ul>`;
  });
  const lists = groups.map(
    ({ group, own }) =>
      `## ${group}\n\n${own.map(({ path, title, summary }) => `- [${title}](${toText(path)}): ${summary}`).join('\n')}`,
  );
  const calls = entries.map(
    ({ method, path, tag, title }) => `- [\`${method} ${basePath}${path}\`](${toText(referencePath(tag))}): ${title}`,
  );
  const introduction = `${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`;
  return {
    html: `<p>${inlineHtml(introduction)}</p>
<p class="actions"><a class="start" href="${to('getting-started')}">Get started in five minutes</a>
<a href="${basePath}/">Open the console</a> <a href="${basePath}/openapi.json">openapi.json</a> <a href="${basePath}/llms.txt">llms.txt</a></p>
${cards.join('\n')}
<section id="questions" class="topic">
<h2>Frequent questions</h2>
<ul class="links">
${questions.join('\n')}
</ul>
</section>
<section id="endpoints" class="topic">
<h2>All endpoints</h2>
${endpoints.join('\n')}
</section>`,
    markdown: `${introduction}\n\n[Get started in five minutes](${toText('getting-started')}).\n\n${lists.join('\n\n')}\n\n## All endpoints\n\n${calls.join('\n')}`,
  };
}
