import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { sourceRecord } from '#docs/docs-records';
import { describeApi, type GuideSettings } from '#docs/guide/guide';
import { llmsText } from '#docs/llms-text';
import type { Document, Tag } from '#docs/openapi/schemas';
import { PAGE_SECURITY, serveText } from '#server/responses/static-content';
import { serveAssets } from '#web/page-assets';
import { SOURCES } from '#web/source-list';
import { generateDocument } from './openapi/document.ts';
import { WITH_KEY } from './openapi/problem-responses.ts';
import { addressOf, markdownAddressOf } from './site/page.ts';
import { openSite } from './site/site.ts';

// Markdown is sent as plain text, because browsers download `text/markdown`.
const MARKDOWN = 'text/plain; charset=utf-8';
/** The style sheets in cascade order. */
const STYLES = ['contents.css', 'article.css', 'operation.css', 'form.css', 'problems.css', 'screens.css'];
const SCRIPTS = ['docs.js', 'find.js', 'key.js', 'navigation.js', 'samples.js', 'search.js', 'try-it.js'];

const ASSETS = new URL('./assets/', import.meta.url);

export const serveStyles = (app: FastifyInstance, basePath: string): void =>
  serveAssets(app, basePath, ASSETS, { 'docs.css': STYLES });

function serveDocs(app: FastifyInstance, settings: GuideSettings, describe: () => Document, tags: readonly Tag[]) {
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

const TAGS = [
  { name: 'users', description: 'Registration, the account and its usage' },
  { name: 'keys', description: 'API keys with limited scopes' },
  { name: 'notices', description: 'Notices by email and webhook' },
  { name: 'tokens', description: 'The supported tokens and the data sources' },
  { name: 'prices', description: 'The latest prices' },
  { name: 'statistics', description: 'On-chain statistics' },
  { name: 'history', description: 'Past prices and candles' },
  { name: 'node', description: "A blockchain node with the Cosmos SDK's legacy REST interface, free of charge" },
  { name: 'coingecko', description: 'CoinGecko’s API v3, for programs that were written for it' },
  { name: 'mcp', description: 'Tools for AI agents' },
  { name: 'operations', description: 'Health checks for the operator' },
];

/** Documents the routes that are registered afterwards, in `/openapi.json`, `/llms.txt` and the pages under `/docs`. */
export async function describeInterface(app: FastifyInstance, settings: GuideSettings): Promise<void> {
  const { basePath, publicUrl } = settings;
  const describe = await generateDocument(app, {
    title: 'Quotient',
    description: describeApi(settings),
    basePath,
    publicUrl,
    tags: TAGS,
    access: WITH_KEY,
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-KEY',
        description:
          'The owner key that registration returns, or a key created with it: `qt_` and 38 letters and digits. If an ' +
          'operation has an `x-scope`, the key must have that scope. The owner key has all scopes. A URL key (`qu_`) is ' +
          'also accepted in the path: `/k/{key}` in front of `/v1/prices/…`, `/v1/tokens`, `/v1/node/…`, `/api/v3/…` and `/mcp`.',
      },
      Bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a Bearer token.' },
      Basic: {
        type: 'http',
        scheme: 'basic',
        description:
          'The API key as the user name with an empty password, or as the password with an empty user name. Use ' +
          'Basic authentication with `curl -u`, or with clients that accept only a URL, such as ' +
          '`https://qt_…:@host/v1/node`.',
      },
    },
  });

  const pages = serveDocs(app, settings, describe, TAGS);
  serveText(app, `${basePath}/llms.txt`, {
    type: MARKDOWN,
    text: () => llmsText(describe(), settings, pages),
  });
}
