import { z } from 'zod';

/*
 * JSON Schemas for models. The whole list of tools must be short, so these schemas contain only what helps to choose
 * arguments and to read results: the service validates arguments with the zod schemas.
 */

type Node = {
  type?: string | string[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  enum?: unknown[];
  [keyword: string]: unknown;
};

/** The keywords that are kept, besides those with schemas. */
const KEPT = ['type', 'enum', 'description', 'default'] as const;

/** Only the root lists its required members: in lists of records, the names would be repeated. */
function compact(node: Node, isRoot = true): Node {
  const [value, none] = node.anyOf ?? [];
  if (value && none?.type === 'null' && typeof value.type === 'string') {
    const { anyOf: _, ...rest } = node;
    return compact({ ...value, ...rest, type: [value.type, 'null'] }, isRoot);
  }
  const { items, properties } = node;
  const entries = Object.entries(properties ?? {}).map(([name, member]) => [name, compact(member, false)]);
  const { required } = node;
  return {
    ...Object.fromEntries(KEPT.flatMap((name) => (node[name] === undefined ? [] : [[name, node[name]]]))),
    ...(isRoot && required && { required }),
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(items && { items: compact(items, false) }),
  };
}

/** An input schema describes the unparsed arguments: `wire` replaces zod's schema of a parsed text. */
export const inputSchema = (schema: z.ZodObject) =>
  compact(
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const { wire } = (z.globalRegistry.get(zodSchema) ?? {}) as { wire?: Node };
        if (wire) Object.assign(jsonSchema, { type: wire.type, ...(wire.enum && { enum: wire.enum }) });
      },
    }) as Node,
  ) as { type: 'object' };

/** An output schema has no descriptions: an empty registry hides those of the public records. */
export const outputSchema = (schema: z.ZodObject) =>
  compact(z.toJSONSchema(schema, { io: 'output', metadata: z.registry() as never }) as Node) as { type: 'object' };
