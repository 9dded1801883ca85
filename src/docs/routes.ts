import type { FastifyInstance } from 'fastify';
import { serveAssets } from '#docs/pages/page-assets';
import type { Document } from '#docs/reference/document';
import { PAGE_SECURITY, serveText } from '#server/replies/static-content';
import { docsPage } from './docs-page.ts';
import type { GuideSettings } from './guide.ts';
import { problemPage } from './problem-page.ts';

const HTML = 'text/html; charset=utf-8';

/** The parts of the style sheet of the docs, in their order. */
const STYLES = ['contents.css', 'operation.css', 'form.css', 'problems.css', 'screens.css'];

/** The scripts of the docs, by name, beside what all pages load. */
const SCRIPTS = ['docs.js', 'find.js', 'key.js', 'navigation.js', 'samples.js', 'try-it.js'];

/** The pages below `/docs`: the interface description to be read and tried, and what to do about each problem. */
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
