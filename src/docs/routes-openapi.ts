import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '#core/version';
import { type GuideSettings, guideText } from '#docs/guide';
import { type Described, llmsText } from '#docs/llms-text';
import type { Document as ReferenceDocument } from '#docs/reference/document';
import { serveDocs } from '#docs/routes';
import { serveText } from '#server/replies/static-content';
import { describeOperation, withSharedParameters } from './openapi/operation.ts';
import { byPlace } from './openapi/public-records.ts';
import type { Context, NamedSchemas, Operation } from './openapi/schemas.ts';

const TAGS = [
  { name: 'users', description: 'Registration, API keys and usage' },
  { name: 'tokens', description: 'The supported tokens and the data sources' },
  { name: 'prices', description: 'The latest prices' },
  { name: 'statistics', description: 'On-chain statistics' },
  { name: 'history', description: 'Past prices and candles' },
  { name: 'node', description: "A blockchain node with the Cosmos SDK's legacy REST interface, free of charge" },
  { name: 'mcp', description: 'Tools for AI agents' },
  { name: 'operations', description: 'Health checks for the operator' },
];

type Components = { schemas: NamedSchemas; [kind: string]: unknown };
type Document = { paths: Record<string, Record<string, Operation>>; components: Components };

/** The named schemas that a part of the document uses, directly or indirectly. */
function schemasOf(root: unknown, all: NamedSchemas): NamedSchemas {
  const found = new Set<string>();
  const look = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([\w.-]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(all[name]);
    }
  };
  look(root);
  const used = Object.entries(all).filter(([name]) => found.has(name));
  return Object.fromEntries(used.sort(byPlace));
}

function complete(document: Document, basePath: string): Document {
  const { components } = document;
  const declared = { responses: {}, headers: {}, examples: {} };
  const context: Context = { basePath, named: components.schemas, ...declared };
  const placeOf = (operations: object) =>
    TAGS.findIndex(({ name }) => Object.values(operations)[0].tags?.includes(name));
  const inOrder = Object.entries(structuredClone(document.paths)).sort(
    ([, one], [, other]) => placeOf(one) - placeOf(other),
  );
  const paths = Object.fromEntries(inOrder);
  for (const operations of Object.values(paths)) {
    for (const [method, operation] of Object.entries(operations))
      operations[method] = describeOperation(operation, method, context);
  }
  const schemas = schemasOf([paths, declared.responses], components.schemas);
  return { ...document, paths, components: { ...components, schemas, ...declared } };
}

/** Documents the routes that are registered later, in `/openapi.json`, `/llms.txt` and the pages under `/docs`. */
export async function describeInterface(app: FastifyInstance, settings: GuideSettings): Promise<void> {
  const { basePath } = settings;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Quotient',
        version: VERSION,
        description: guideText(settings),
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: basePath || '/', description: 'This service' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          ApiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-KEY',
            description:
              'An API key: `qt_` and 38 letters and digits. Registration returns the owner key, which can create other ' +
              'keys. If an operation has an `x-scope`, the key must have this scope. The owner key has all scopes.',
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
      },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document);
      const { cost, ...facts } = document.route.config ?? {};
      // A cost that depends on parameters is a function, which JSON cannot represent.
      return { schema: schema && { ...schema, 'x-route': { ...facts, cost: cost ? 1 : 0 } }, url };
    },
    transformObject: (document) =>
      complete(jsonSchemaTransformObject(document) as unknown as Document, basePath) as object,
  });

  serveText(app, `${basePath}/openapi.json`, {
    type: 'application/json; charset=utf-8',
    text: () => JSON.stringify(withSharedParameters(app.swagger() as unknown as Document)),
  });
  serveText(app, `${basePath}/llms.txt`, {
    // Markdown is sent as plain text, because browsers download `text/markdown`.
    type: 'text/plain; charset=utf-8',
    text: () => llmsText(app.swagger() as unknown as Described, settings),
  });
  serveDocs(app, settings, () => app.swagger() as unknown as ReferenceDocument);
}
