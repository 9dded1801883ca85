import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '#core/version';
import { serveText } from '#server/responses/static-content';
import { describeOperation, withSharedParameters } from './operation.ts';
import { byPlace } from './public-records.ts';
import type { Access, Context, Document, NamedSchemas, Schema, Tag } from './schemas.ts';

/*
 * Tools that were written for OpenAPI 3.0 reject some keywords of JSON Schema, although they read the rest of a 3.1
 * document. Each of these keywords has an equivalent that they accept.
 */

/** Keywords that describe a value of any type. All others belong to the type beside them. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'examples', 'example', 'default', 'title']);

function withoutTypeArray({ type, ...schema }: Schema): Schema {
  if (!Array.isArray(type)) return type === undefined ? schema : { type, ...schema };
  const entries = Object.entries(schema);
  const about = Object.fromEntries(entries.filter(([name]) => ANNOTATIONS.has(name)));
  const constraints = Object.fromEntries(entries.filter(([name]) => !ANNOTATIONS.has(name)));
  const alternatives = type.map((one) => (one === 'null' ? { type: one } : { type: one, ...constraints }));
  return { anyOf: alternatives, ...about };
}

/** In 3.0, `exclusiveMinimum` is a boolean. */
function withInclusiveMinimum({ exclusiveMinimum, ...schema }: Schema): Schema {
  if (typeof exclusiveMinimum !== 'number') return schema;
  return { ...schema, minimum: schema.type === 'integer' ? exclusiveMinimum + 1 : exclusiveMinimum };
}

/** If there is a format, the pattern only repeats it. The names of the members of a JSON object are always strings. */
function withoutRepetition({ pattern, propertyNames: _, ...schema }: Schema): Schema {
  return pattern === undefined || schema.format !== undefined ? schema : { ...schema, pattern };
}

const portableSchema = (schema: Schema): Schema => withoutTypeArray(withInclusiveMinimum(withoutRepetition(schema)));

/** Members whose values are examples, or schemas by name, and therefore no schemas themselves. */
const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);
const NAMED: ReadonlySet<string> = new Set(['properties', 'schemas', 'headers', 'responses']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces the keywords in all schemas of a document. `isNamed` is set for an object whose members have names. */
function portable<Value>(value: Value, isNamed = false): Value {
  if (Array.isArray(value)) return value.map((one) => portable(one)) as Value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) =>
    !isNamed && EXAMPLES.has(name) ? [name, member] : [name, portable(member, !isNamed && NAMED.has(name))],
  );
  const copy = Object.fromEntries(entries) as Schema;
  return (isNamed ? copy : portableSchema(copy)) as Value;
}

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
