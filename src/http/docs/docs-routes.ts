import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { assetsOf } from '#http/pages/page';
import { PAGE_SECURITY } from '#http/pages/page-security';
import { serveText } from '#http/replies/static-content';
import { docsPage } from './docs-page.ts';
import type { GuideSettings } from './guide.ts';
import { problemPage } from './problem-page.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const ours = (name: string) => new URL(`./assets/${name}`, import.meta.url);
/** The package carries Swagger UI as it comes from its makers, and nothing of it runs at its installation. */
const swagger = (name: string) =>
  createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${name}`);

/** What the pages load, by name. */
const ASSETS = {
  'docs.css': { type: CSS, file: ours('docs.css') },
  'docs.js': { type: SCRIPT, file: ours('docs.js') },
  'swagger-ui.css': { type: CSS, file: swagger('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: SCRIPT, file: swagger('swagger-ui-bundle.js') },
};

/** The pages below `/docs`: the interface description to be read and tried, and what to do about each problem. */
export function serveDocs(app: FastifyInstance, settings: GuideSettings): void {
  const { basePath } = settings;
  for (const path of ['/docs', '/docs/']) {
    serveText(app, `${basePath}${path}`, {
      type: HTML,
      headers: PAGE_SECURITY,
      text: () => docsPage(settings),
    });
  }
  serveText(app, `${basePath}/docs/problems`, {
    type: HTML,
    headers: PAGE_SECURITY,
    text: () => problemPage(basePath),
  });
  for (const [name, { type, file }] of Object.entries(ASSETS)) {
    serveText(app, `${assetsOf(basePath)}/${name}`, { type, text: () => readFile(file, 'utf8') });
  }
}
