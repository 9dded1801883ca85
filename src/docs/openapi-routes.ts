import type { FastifyInstance } from 'fastify';
import { MARKDOWN, serveDocs } from '#docs/docs-routes';
import { describeApi, type GuideSettings } from '#docs/guide/guide';
import { llmsText } from '#docs/llms-text';
import { serveText } from '#server/responses/static-content';
import { generateDocument } from './openapi/document.ts';
import { WITH_KEY } from './openapi/problem-responses.ts';

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
