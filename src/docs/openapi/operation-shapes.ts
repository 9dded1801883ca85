import type { WantedScope } from '#accounts/gate/key-problems';
import type { ProblemCode } from '#core/problems';
import type { Occurrence } from './described-headers.ts';
import type { NamedSchemas, Schema } from './schema-examples.ts';

/** What a route says of itself in its `config`. */
export type RouteFacts = {
  /** Needs no key. */
  open?: true;
  /** Calls charged for an answer with 2xx; where that depends on what is asked for, by its parameters as they are parsed. */
  cost?: number | ((query: never) => number);
  /** Gives CSV beside JSON. */
  csv?: true;
  /** How its cost follows from what is asked for, in words. */
  price?: string;
  /** What a key must be allowed to be used for; every route that needs a key says it. */
  scope?: WantedScope;
  /** Serves the keys of a user whose term is over too. */
  allowExpired?: true;
  /** The headers of an answer with 2xx or 304, beyond those of every route of its price. */
  headers?: readonly Occurrence[];
  /** The statuses under which the node may refuse what is asked here: those of `node_rejected`. */
  rejections?: readonly number[];
  /** The problems that a caller may meet here, beyond those of every route. */
  problems?: readonly ProblemCode[];
};

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
