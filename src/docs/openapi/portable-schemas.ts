import type { Schema } from './schemas.ts';

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
export function portable<Value>(value: Value, isNamed = false): Value {
  if (Array.isArray(value)) return value.map((one) => portable(one)) as Value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) =>
    !isNamed && EXAMPLES.has(name) ? [name, member] : [name, portable(member, !isNamed && NAMED.has(name))],
  );
  const copy = Object.fromEntries(entries) as Schema;
  return (isNamed ? copy : portableSchema(copy)) as Value;
}
