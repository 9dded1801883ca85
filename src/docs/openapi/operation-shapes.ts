import type { RouteFacts, WantedScope } from '#server/route-facts';
import type { NamedSchemas, Schema } from './schema-examples.ts';

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

/** An operation as @fastify/swagger makes it of a route. */
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

/** What operations share: the named schemas, and the components that are declared as they are needed. */
export type Context = {
  basePath: string;
  named: NamedSchemas;
  responses: Record<string, Response>;
  headers: Record<string, object>;
  examples: Record<string, object>;
};
