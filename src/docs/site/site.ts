import { escapeHtml } from '#core/forms/record-fields';
import { type GuideSettings, gettingStarted, PLACEHOLDER, textOf } from '#docs/guide/guide';
import { inlineHtml, sectionsOf } from '#docs/markdown';
import type { Document, Tag } from '#docs/openapi/schemas';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import { openReference, type Reference } from '#docs/reference/reference';
import { assetsOf, htmlPage } from '#web/page';
import { readManual, sectionsHtml, toHtmlPage, toMarkdown, withPlaceholder } from './manual.ts';
import { overview, referencePath } from './overview.ts';
import { addressOf, type Content, markdownAddressOf, type Page, type Part, partsOf, searchIndex } from './page.ts';
import { problems } from './problems.ts';
import { OPERATOR_TOPICS, type Topic, USER_TOPICS } from './topics.ts';

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

function pageHtml(basePath: string, pages: readonly Page[], here: Page, { html }: Content): string {
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

const pageMarkdown = ({ title, summary, path }: Page, { markdown }: Content): string =>
  `# ${title}\n\n${path === '' ? '' : `${summary}.\n\n`}${markdown}\n`;

/** A short name is an abbreviation, and is therefore written in upper case. */
const endpointsOf = (name: string) => `Endpoints for ${name.length > 3 ? name : name.toUpperCase()}`;

function startOf(settings: GuideSettings): Content {
  const { basePath } = settings;
  const text = (to: ReturnType<typeof toHtmlPage>) => textOf(gettingStarted(settings, to));
  return {
    html: sectionsHtml(sectionsOf(text(toHtmlPage(basePath)))),
    markdown: withPlaceholder(text(toMarkdown(basePath))),
  };
}

/** All pages in reading order. A page is created at its first request. */
export function openSite(settings: GuideSettings, describe: () => Document, tags: readonly Tag[]) {
  const { basePath } = settings;
  let reading: ReturnType<typeof readManual> | undefined;
  const manual = () => {
    reading ??= readManual(basePath);
    return reading;
  };
  let reference: Reference | undefined;
  const described = () => {
    reference ??= openReference(describe(), basePath);
    return reference;
  };
  const topicPage =
    (group: string) =>
    (topic: Topic): Page => ({ ...topic, group, content: async () => (await manual())(topic) });
  const pages: Page[] = [
    {
      path: '',
      title: 'Documentation',
      summary: 'All pages, frequent questions and all endpoints',
      group: 'Start',
      content: () => overview({ basePath, pages, tags, entries: described().entries }),
    },
    {
      path: 'getting-started',
      title: 'Getting started',
      summary: 'From registration to the first prices in five minutes, with curl, JavaScript or Python',
      group: 'Start',
      content: () => startOf(settings),
    },
    ...USER_TOPICS.map(topicPage('Guides')),
    {
      path: 'reference',
      title: 'API reference',
      summary: 'Problems, headers and parameters that several endpoints share',
      group: 'Reference',
      content: () => described().common(),
    },
    ...tags.map(({ name, description }) => ({
      path: referencePath(name),
      title: endpointsOf(name),
      summary: description,
      group: 'Reference',
      content: () => described().group(name),
    })),
    {
      path: 'problems',
      title: 'Problems',
      summary: 'The cause and the remedy of each error code',
      group: 'Reference',
      content: () => problems(basePath),
    },
    ...OPERATOR_TOPICS.map(topicPage('For operators')),
  ];

  return {
    pages: pages as readonly Page[],
    html: async (page: Page) => pageHtml(basePath, pages, page, await page.content()),
    markdown: async (page: Page) => pageMarkdown(page, await page.content()),
    index: async () => JSON.stringify(await searchIndex(basePath, pages)),
  };
}
