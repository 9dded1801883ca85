import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { assetsOf } from '#http/pages/page';
import { PAGE_SECURITY } from '#http/pages/page-security';
import { serveText } from '#http/replies/static-content';
import { docsPage } from './docs-page.ts';
import type { GuideSettings } from './guide.ts';
import { problemPage } from './problem-page.ts';
import type { Document } from './reference/document.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const read = (name: string) => readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8');

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
  const assets = assetsOf(basePath);
  serveText(app, `${assets}/docs.css`, {
    type: 'text/css; charset=utf-8',
    text: async () => (await Promise.all(STYLES.map(read))).join('\n'),
  });
  for (const name of SCRIPTS) serveText(app, `${assets}/${name}`, { type: SCRIPT, text: () => read(name) });
}
