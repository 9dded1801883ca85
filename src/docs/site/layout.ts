import { escapeHtml } from '#core/forms/record-fields';
import { PLACEHOLDER } from '#docs/guide/guide';
import { inlineHtml } from '#docs/markdown';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import { assetsOf, htmlPage } from '#web/page';
import { addressOf, type Content, markdownAddressOf, type Page, type Part, partsOf } from './page.ts';

/** A path may break after its slashes. */
const partHtml = ({ id, title, address }: Part) => {
  const path = escapeHtml(address).replaceAll('/', '/<wbr>');
  const name = address
    ? `<span class="name">${escapeHtml(title)}</span><span class="path">${path}</span>`
    : escapeHtml(title);
  return `<li><a href="#${escapeHtml(id)}">${name}</a></li>`;
};

function contentsHtml(basePath: string, pages: readonly Page[], here: Page, parts: readonly Part[]): string {
  const item = (page: Page) => {
    const isHere = page === here;
    const sections =
      isHere && page.path !== '' && parts.length > 0
        ? `\n<ul class="sections">${parts.map(partHtml).join('\n')}</ul>`
        : '';
    return `<li><a href="${addressOf(basePath, page.path)}"${isHere ? ' aria-current="page"' : ''}>${page.title}</a>${sections}</li>`;
  };
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups
    .map(
      (group) => `<p class="group">${group}</p>
<ul>
${pages
  .filter((page) => page.group === group)
  .map(item)
  .join('\n')}
</ul>`,
    )
    .join('\n');
}

const neighbor = (basePath: string, rel: 'prev' | 'next', page: Page | undefined) =>
  page === undefined
    ? ''
    : `<a rel="${rel}" class="${rel}" href="${addressOf(basePath, page.path)}"><span class="soft">${rel === 'prev' ? 'Previous' : 'Next'}</span> ${page.title}</a>`;

const headOf = (
  basePath: string,
  { path, summary }: Page,
) => `<link rel="stylesheet" href="${assetsOf(basePath)}/docs.css">
<script type="module" src="${assetsOf(basePath)}/docs.js"></script>
<link rel="alternate" type="text/markdown" href="${markdownAddressOf(basePath, path)}">
<meta name="description" content="${escapeHtml(summary)}">
`;

export function pageHtml(basePath: string, pages: readonly Page[], here: Page, { html }: Content): string {
  const place = pages.indexOf(here);
  const sections = partsOf(html).filter(({ isSection }) => isSection);
  const examples = html.includes(EXAMPLE_ORIGIN)
    ? `<noscript><p>${inlineHtml(PLACEHOLDER)} To try calls on this page, enable JavaScript.</p></noscript>\n`
    : '';
  return htmlPage(basePath, {
    title: here.path === '' ? 'Quotient: docs' : `Quotient: ${here.title}`,
    here: here.path === 'problems' ? 'problems' : 'docs',
    head: headOf(basePath, here),
    main: `<div class="docs" data-language="curl" data-example-origin="${EXAMPLE_ORIGIN}" data-base-path="${basePath}/">
<div class="sidebar">
<div class="sidebar-head">
<search class="find"><label><span class="unseen">Search the docs</span>
<input type="search" id="find" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="Search: press /"></label>
<ul id="found" role="listbox" aria-label="Search results" hidden></ul>
<p id="nothing-found" class="nothing-found" hidden></p></search>
<button type="button" id="contents-button" class="contents-button" aria-expanded="false" aria-controls="contents">Contents</button>
</div>
<nav id="contents" class="contents" aria-label="Docs">
${contentsHtml(basePath, pages, here, sections)}
</nav>
</div>
<article class="text">
<h1>${here.title}</h1>
${here.path === '' ? '' : `<p class="lead">${escapeHtml(here.summary)}.</p>\n`}${examples}${html}
<nav class="neighbors" aria-label="Previous and next page">${neighbor(basePath, 'prev', pages[place - 1])}${neighbor(basePath, 'next', pages[place + 1])}</nav>
<p class="soft as-text"><a href="${markdownAddressOf(basePath, here.path)}">This page as Markdown</a></p>
</article>
</div>
<p id="announcements" class="unseen" role="status"></p>`,
  });
}

export const pageMarkdown = ({ title, summary, path }: Page, { markdown }: Content): string =>
  `# ${title}\n\n${path === '' ? '' : `${summary}.\n\n`}${markdown}\n`;
