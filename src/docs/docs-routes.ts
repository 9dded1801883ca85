import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { sourceRecord } from '#docs/docs-records';
import type { Document, Tag } from '#docs/openapi/schemas';
import { PAGE_SECURITY, serveText } from '#server/responses/static-content';
import { serveAssets } from '#web/page-assets';
import { SOURCES } from '#web/source-list';
import type { GuideSettings } from './guide/guide.ts';
import { addressOf, markdownAddressOf } from './site/page.ts';
import { openSite } from './site/site.ts';

// Markdown is sent as plain text, because browsers download `text/markdown`.
export const MARKDOWN = 'text/plain; charset=utf-8';
/** The style sheets in cascade order. */
const STYLES = ['contents.css', 'article.css', 'operation.css', 'form.css', 'problems.css', 'screens.css'];
const SCRIPTS = ['docs.js', 'find.js', 'key.js', 'navigation.js', 'samples.js', 'search.js', 'try-it.js'];

const ASSETS = new URL('./assets/', import.meta.url);

export const serveStyles = (app: FastifyInstance, basePath: string): void =>
  serveAssets(app, basePath, ASSETS, { 'docs.css': STYLES });

export function serveDocs(
  app: FastifyInstance,
  settings: GuideSettings,
  describe: () => Document,
  tags: readonly Tag[],
) {
  const { basePath } = settings;
  const site = openSite(settings, describe, tags);
  const html = { type: 'text/html; charset=utf-8', headers: PAGE_SECURITY, countedAs: `${basePath}/docs/*` };
  const markdown = { type: MARKDOWN, countedAs: `${basePath}/docs/*.md` };
  for (const page of site.pages) {
    const address = addressOf(basePath, page.path);
    for (const url of page.path === '' ? [address, `${address}/`] : [address])
      serveText(app, url, { ...html, text: () => site.html(page) });
    serveText(app, markdownAddressOf(basePath, page.path), { ...markdown, text: () => site.markdown(page) });
  }
  serveText(app, `${basePath}/docs/search.json`, { type: 'application/json; charset=utf-8', text: site.index });
  const scripts = Object.fromEntries(SCRIPTS.map((name) => [name, [name]]));
  serveStyles(app, basePath);
  serveAssets(app, basePath, ASSETS, scripts);
  return site.pages;
}

const list = {
  tags: ['tokens'],
  summary: 'List the data sources with their terms and attribution',
  description:
    'The header `Quotient-Source` contains these names. The list includes disabled sources, because the ' +
    'archive can still contain their data.',
  operationId: 'listSources',
  response: { 200: z.array(sourceRecord).meta({ description: 'All data sources' }) },
};

export const sources: FastifyPluginAsyncZod = async (app) => {
  app.get('/sources', { schema: list, config: { open: true } }, async () => SOURCES);
};
