import type { GuideSettings } from '#docs/guide/context';
import { gettingStarted, textOf } from '#docs/guide/guide';
import { sectionsOf } from '#docs/markdown';
import type { Document, Tag } from '#docs/openapi/schemas';
import { openReference, type Reference } from '#docs/reference/reference';
import { pageHtml, pageMarkdown } from './layout.ts';
import { readManual, sectionsHtml, toHtmlPage, toMarkdown, withPlaceholder } from './manual.ts';
import { overview, referencePath } from './overview.ts';
import type { Content, Page } from './page.ts';
import { problems } from './problems.ts';
import { searchIndex } from './search-index.ts';
import { OPERATOR_TOPICS, type Topic, USER_TOPICS } from './topics.ts';

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
