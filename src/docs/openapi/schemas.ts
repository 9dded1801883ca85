import { type ProblemCode, problemKind } from '#core/problems';
import type { RouteFacts, WantedScope } from '#server/gate';

export type Schema = {
  $ref?: string;
  $defs?: NamedSchemas;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  /** The expected input, and the schema of the unparsed text. */
  fix?: string;
  wire?: Schema;
  minimum?: number;
  maximum?: number;
  [keyword: string]: unknown;
};

export type NamedSchemas = Readonly<Record<string, Schema>>;

export function resolve(schema: Schema, named: NamedSchemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (named[name] ?? {});
}

const PLAIN: Readonly<Record<string, unknown>> = { boolean: true, null: null };
const TEXTS: Readonly<Record<string, string>> = { date: '2026-01-31', 'date-time': '2026-01-31T12:00:00.000Z' };

/** Builds an example from the examples of the properties, so that they never differ. */
export function exampleOf(schema: Schema, named: NamedSchemas): unknown {
  const { examples, const: only, enum: choices, anyOf, type, ...rest } = resolve(schema, named);
  if (examples) return examples[0];
  if (only !== undefined) return only;
  if (choices) return choices[0];
  if (anyOf?.[0]) return exampleOf(anyOf[0], named);
  const kind = [type].flat()[0] ?? 'null';
  if (kind === 'array') return rest.items ? [exampleOf(rest.items, named)] : [];
  if (kind === 'integer' || kind === 'number') return Math.max(0, rest.minimum ?? 0);
  if (kind === 'string') return TEXTS[String(rest.format)] ?? 'text';
  if (kind !== 'object') return PLAIN[kind];
  const entries = Object.entries(rest.properties ?? {});
  return Object.fromEntries(entries.map(([name, member]) => [name, exampleOf(member, named)]));
}

const MEMBERS: Partial<Record<ProblemCode, object>> = {
  invalid_request: {
    errors: [
      {
        location: 'query.days',
        message: 'must be an integer from 1 to 36500',
        fix: 'an integer from 1 to 36500',
      },
    ],
  },
  no_data: { gaps: ['2024-01-01T00:00:00.000Z/2024-01-01T23:59:59.999Z'] },
  node_rejected: { error: 'page should be within [1, 3] range, given 4' },
  upstream_unavailable: { gaps: ['2013-04-28/2024-11-21'] },
};

export function problemExample(code: ProblemCode, basePath: string) {
  const { status, title, remedy } = problemKind(code);
  const type = `${basePath}/docs/problems#${code}`;
  const requestId = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const detail = remedy.replaceAll('`', '');
  return { type, title, status, detail, code, requestId, ...MEMBERS[code] };
}

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, unknown> };
export type Response = { description: string; headers?: object; content?: Record<string, Media> };
export type Ref = { $ref: string };
export type Header = { description: string; schema: Schema; example?: unknown; required?: boolean };

export type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  parameters?: Parameter[];
  responses: Record<string, Response | Ref>;
  security?: Record<string, string[]>[];
  'x-route'?: RouteFacts;
  'x-price'?: string;
  'x-scope'?: WantedScope;
  [member: string]: unknown;
};

export type Tag = { name: string; description: string };

/** The part of an OpenAPI document that the reference and `/llms.txt` use. */
export type Document = {
  tags: Tag[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: NamedSchemas; headers?: Record<string, Header>; [kind: string]: unknown };
};

/** Routes that are not open require one of these schemes. `problems` are the possible rejections. */
export type Access = {
  security: readonly Record<string, string[]>[];
  problems: readonly ProblemCode[];
  /** Header components that differ from the usual components. */
  headers?: Readonly<Record<string, Header>>;
};

export type Context = {
  basePath: string;
  access: Access;
  named: NamedSchemas;
  responses: Record<string, Response>;
  headers: Record<string, Header>;
  examples: Record<string, object>;
};
