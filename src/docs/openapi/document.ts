import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '#core/version';
import { serveText } from '#server/responses/static-content';
import { describeOperation, withSharedParameters } from './operation.ts';
import { portable } from './portable-schemas.ts';
import { byPlace } from './public-records.ts';
import type { Access, Context, Document, NamedSchemas, Tag } from './schemas.ts';

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

type Description = {
  title: string;
  description: string;
  basePath: string;
  /** Where clients reach the service, including the base path. */
  publicUrl?: string | undefined;
  tags: Tag[];
  securitySchemes: Record<string, object>;
  access: Access;
};

/** Sorts the paths by tag, completes each operation, and drops unused components. */
function complete(document: Document, { basePath, tags, access }: Description): Document {
  const { components } = document;
  const declared = { responses: {}, headers: { ...access.headers }, examples: {} };
  const context: Context = { basePath, access, named: components.schemas, ...declared };
  const placeOf = (operations: object) =>
    tags.findIndex(({ name }) => Object.values(operations)[0].tags?.includes(name));
  const inOrder = Object.entries(structuredClone(document.paths)).sort(
    ([, methods], [, other]) => placeOf(methods) - placeOf(other),
  );
  const paths = Object.fromEntries(inOrder);
  for (const operations of Object.values(paths)) {
    for (const [method, operation] of Object.entries(operations))
      operations[method] = describeOperation(operation, method, context);
  }
  const schemas = schemasOf([paths, declared.responses], components.schemas);
  return { ...document, paths, components: { ...components, schemas, ...declared } };
}

/** Describes the routes registered afterwards. Returns a function that reads the document once all are registered. */
export async function generateDocument(app: FastifyInstance, description: Description): Promise<() => Document> {
  const { title, basePath, publicUrl, tags } = description;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version: VERSION,
        description: description.description,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl ?? (basePath || '/'), description: 'This service' }],
      tags,
      components: { securitySchemes: description.securitySchemes as never },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document);
      const { cost, ...facts } = document.route.config ?? {};
      // A cost that depends on parameters is a function, which JSON cannot hold.
      return { schema: schema && { ...schema, 'x-route': { ...facts, cost: cost ? 1 : 0 } }, url };
    },
    transformObject: (document) =>
      complete(jsonSchemaTransformObject(document) as unknown as Document, description) as object,
  });
  const describe = () => app.swagger() as unknown as Document;
  serveText(app, `${basePath}/openapi.json`, {
    type: 'application/json; charset=utf-8',
    text: () => JSON.stringify(portable(withSharedParameters(describe()))),
  });
  return describe;
}
