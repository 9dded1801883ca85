import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { serveAssets } from '#docs/pages/page-assets';
import { sourceRecord } from '#docs/records';
import type { Document } from '#docs/reference/document';
import { PAGE_SECURITY, serveText } from '#server/replies/static-content';
import { docsPage, problemPage } from './docs-page.ts';
import type { GuideSettings } from './guide.ts';
import { SOURCES } from './source-list.ts';

const HTML = 'text/html; charset=utf-8';
/** The style sheets in the order of the cascade. */
const STYLES = ['contents.css', 'operation.css', 'form.css', 'problems.css', 'screens.css'];
const SCRIPTS = ['docs.js', 'find.js', 'key.js', 'navigation.js', 'samples.js', 'try-it.js'];

export function serveDocs(app: FastifyInstance, settings: GuideSettings, describe: () => Document): void {
  const { basePath } = settings;
  for (const path of ['/docs', '/docs/']) {
    serveText(app, `${basePath}${path}`, {
      type: HTML,
      headers: PAGE_SECURITY,
      text: () => docsPage(settings, describe()),
    });
  }
  serveText(app, `${basePath}/docs/problems`, {
    type: HTML,
    headers: PAGE_SECURITY,
    text: () => problemPage(basePath),
  });
  const scripts = Object.fromEntries(SCRIPTS.map((name) => [name, [name]]));
  serveAssets(app, basePath, new URL('./assets/', import.meta.url), { 'docs.css': STYLES, ...scripts });
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
