import type { FastifyInstance } from 'fastify';
import type { GuideSettings } from '#docs/guide/context';
import { describeApi } from '#docs/guide/guide';
import { type Described, llmsText } from '#docs/llms-text';
import type { Document as ReferenceDocument } from '#docs/reference/document';
import { serveDocs } from '#docs/routes';
import { serveText } from '#server/replies/static-content';
import { type Document, generateDocument } from './openapi/document.ts';
import { withSharedParameters } from './openapi/operation.ts';
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
  { name: 'mcp', description: 'Tools for AI agents' },
  { name: 'operations', description: 'Health checks for the operator' },
];

/** Documents the routes that are registered afterwards, in `/openapi.json`, `/llms.txt` and the pages below `/docs`. */
export async function describeInterface(app: FastifyInstance, settings: GuideSettings): Promise<void> {
  const { basePath } = settings;
  await generateDocument(app, {
    title: 'Quotient',
    description: describeApi(settings),
    basePath,
    tags: TAGS,
    access: WITH_KEY,
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-KEY',
        description:
          'The owner key that registration returns, or a key created with it: `qt_` and 38 letters and digits. If an ' +
          'operation has an `x-scope`, the key must have that scope. The owner key has all scopes.',
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

  serveText(app, `${basePath}/openapi.json`, {
    type: 'application/json; charset=utf-8',
    text: () => JSON.stringify(withSharedParameters(app.swagger() as unknown as Document)),
  });
  const pages = serveDocs(app, settings, () => app.swagger() as unknown as ReferenceDocument, TAGS);
  serveText(app, `${basePath}/llms.txt`, {
    // Markdown is sent as plain text, because browsers download `text/markdown`.
    type: 'text/plain; charset=utf-8',
    text: () => llmsText(app.swagger() as unknown as Described, settings, pages),
  });
}
