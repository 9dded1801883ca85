import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { headerComponents } from './described-headers.ts';
import { serveDocs } from './docs.ts';
import type { NamedSchemas } from './examples.ts';
import { describeOperation, type Operation } from './operation.ts';

const packageJson = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageJson) as { version: string };

const DESCRIPTION = `Market quotes, on a quota. Data provided by [CoinGecko](https://www.coingecko.com).

* A call that needs a key takes it in the header \`X-API-KEY\`. An answer with 2xx is charged where the price says so; \
304, 4xx and 5xx are free.
* Requests are checked in this order: a secret in it, path and method, key, burst, parameters, allowance.
* A request that carries a \`mnemonic\` parameter, to any path, is refused: a seed phrase never belongs in a URL. \
Other parameters that a path does not know are ignored. Names of parameters are case-sensitive.
* HEAD is answered, and charged, like GET, without the body. Another method than those a path knows is 405.
* A body is neither needed nor read; over 1 MB it is refused.
* What goes wrong is told as \`application/problem+json\` (RFC 9457): rely on \`code\`, not on the words.
* All times are UTC, all figures of money in US dollars.`;

const TAGS = [
  { name: 'users', description: 'Registration, and what goes with an API key' },
  { name: 'tokens', description: 'What is served' },
  { name: 'prices', description: 'The latest prices' },
  { name: 'history', description: 'Prices of the past, from an archive that fills itself' },
  { name: 'operations', description: 'For whoever runs the service' },
];

type Components = { schemas: NamedSchemas; headers: Record<string, unknown>; [kind: string]: unknown };
type Document = { paths: Record<string, Record<string, Operation>>; components: Components };

/** The named members of `all` that the text refers to, and those that these refer to. */
function referredTo<T>(kind: string, all: Readonly<Record<string, T>>, root: unknown): Record<string, T> {
  const found = new Set<string>();
  const look = (value: unknown) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+\/[\w.-]+)"/g)) {
      const own = name?.startsWith(`${kind}/`) ? name.slice(kind.length + 1) : undefined;
      if (own === undefined || found.has(own)) continue;
      found.add(own);
      look(all[own]);
    }
  };
  look(root);
  return Object.fromEntries(Object.entries(all).filter(([name]) => found.has(name)));
}

/** Completes each operation, and leaves out the components that none of them needs. */
function complete(document: Document, basePath: string): Document {
  const { components } = document;
  const paths = structuredClone(document.paths);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const context = { method, path, basePath, named: components.schemas };
      operations[method] = describeOperation(operation, context);
    }
  }
  const schemas = referredTo('schemas', components.schemas, paths);
  const headers = referredTo('headers', headerComponents, paths);
  return { ...document, paths, components: { ...components, schemas, headers } };
}

/**
 * Describes every route registered after it: the document at `/openapi.json`, the pages below `/docs`. What a route
 * says in its schema and its config is all there is to it.
 */
export async function describeInterface(app: FastifyInstance, basePath: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Quotient',
        version,
        description: DESCRIPTION,
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
            description: 'The key that registration gave: `qt_` and 38 letters and digits.',
          },
        },
      },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document);
      return { schema: schema && { ...schema, 'x-route': document.route.config ?? {} }, url };
    },
    transformObject: (document) =>
      complete(jsonSchemaTransformObject(document) as unknown as Document, basePath) as object,
  });

  let text: string | undefined;
  app.get(`${basePath}/openapi.json`, { schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(text);
  });
  await serveDocs(app, basePath);
}
