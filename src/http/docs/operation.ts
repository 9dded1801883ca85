import { PROBLEM_CODES, type ProblemCode, problemKind } from '#problems';
import type { WantedScope } from '#services/quota/key-problems';
import { headersOf, type Occurrence } from './described-headers.ts';
import { exampleOf, type NamedSchemas, problemExample, resolve, type Schema } from './examples.ts';

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
type Media = { schema: Schema; example?: unknown; examples?: Record<string, unknown> };
export type Response = { description: string; headers?: object; content?: Record<string, Media> };
type Ref = { $ref: string };

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

/** The problems that any request may meet, whatever the path; another method of a path is told with its operations. */
const ANYWHERE: ProblemCode[] = [
  'invalid_request',
  'secret_in_request',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];
const WITH_KEY: ProblemCode[] = [
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'api_key_revoked',
  'rate_limited',
  'database_unavailable',
  'overloaded',
];
const WITH_PRICE: ProblemCode[] = ['quota_exceeded'];

const WITH_SCOPE: ProblemCode[] = ['scope_missing'];

/** The ways to present a key: any of them will do. OpenAPI 3.1 has the scope as a role that is required. */
const keyWith = (scope: WantedScope = 'any'): Record<string, string[]>[] =>
  ['ApiKey', 'Bearer', 'Basic'].map((scheme) => ({ [scheme]: scope === 'any' ? [] : [scope] }));

/** The codes that a route can answer with, in the order of the table of problems. */
function codesOf({ open, cost, scope, problems = [] }: RouteFacts): ProblemCode[] {
  const ofScope = scope === undefined || scope === 'any' ? [] : WITH_SCOPE;
  const met = new Set([
    ...ANYWHERE,
    ...(open ? [] : WITH_KEY),
    ...ofScope,
    ...(cost ? WITH_PRICE : []),
    ...problems,
  ]);
  return PROBLEM_CODES.filter((code) => met.has(code));
}

/** Declares the response of a status with these problems, once for all routes that have it, and refers to it. */
function problemResponse(
  status: number,
  codes: ProblemCode[],
  isPriced: boolean,
  { basePath, responses, headers, examples }: Context,
): Ref {
  const name = [status, ...codes, ...(isPriced ? ['priced'] : [])].join('-');
  const exampleOf = (code: ProblemCode) => {
    const { title, status: usual } = problemKind(code);
    const example = { summary: title, value: { ...problemExample(code, basePath), status } };
    // A node's refusal has the status that the node gave.
    if (status !== usual) return example;
    examples[code] ??= example;
    return { $ref: `#/components/examples/${code}` };
  };
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${problemKind(code).title}`).join('; '),
    headers: headersOf(status, isPriced, [], headers),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

function problemResponses(facts: RouteFacts, context: Context): Record<string, Ref> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codesOf(facts)) {
    const statuses = code === 'node_rejected' ? (facts.rejections ?? []) : [problemKind(code).status];
    for (const status of statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isPriced = Boolean(facts.cost);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(status, codes, isPriced, context)]),
  );
}

/** What a route itself declares, with an example for each media type and words for what it gives. */
function success(status: string, { description, content }: Response, named: NamedSchemas): Response {
  if (status === '204' || !content) return { description: 'Done; there is nothing to say' };
  const media = Object.entries(content).map(([type, { schema }]): [string, Media] => {
    return [type, { schema, example: exampleOf(schema, named) }];
  });
  const told = media[0] && resolve(media[0][1].schema, named).description;
  const isDefault = description === 'Default Response';
  return { description: (isDefault && told) || description, content: Object.fromEntries(media) };
}

/**
 * A parameter as it is on the wire. `fix`, what is wanted, becomes a part of the description; `wire` takes the place
 * of a schema that zod would make of the text before it is parsed.
 */
function parameter({ schema, example, ...rest }: Parameter): Parameter {
  const { fix, wire, ...plain } = schema as Schema & { fix?: string; wire?: Schema };
  const { examples, ...shape } = wire ?? plain;
  const description = [rest.description, fix].filter(Boolean).join(': ');
  const shown = examples?.[0] ?? example;
  return {
    ...rest,
    ...(description && { description }),
    schema: shape,
    ...(shown !== undefined && { example: shown }),
  };
}

/** A body as it is on the wire: of its members too, what is wanted becomes a part of the description. */
function requestBodyOf({ content, ...rest }: NonNullable<Operation['requestBody']>) {
  const onWire = ({ schema: { properties, ...schema } }: { schema: Schema }) => {
    const members = Object.entries(properties ?? {}).map(([name, { fix, description, ...member }]) => {
      const words = [description, fix].filter(Boolean).join(': ');
      return [name, { ...member, ...(words && { description: words }) }];
    });
    return { schema: { ...schema, ...(properties && { properties: Object.fromEntries(members) }) } };
  };
  const media = Object.entries(content).map(([type, one]) => [type, onWire(one)]);
  return { required: true, ...rest, content: Object.fromEntries(media) };
}

/** `GET /v1/prices/latest/token` is `getPricesLatestToken`, where a route has no better name for it. */
function nameOf(method: string, path: string): string {
  const words = path.replace(/^\/v1\//, '').match(/[A-Za-z0-9]+/g) ?? [];
  return method + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

/** Completes an operation with all that follows from what its route says of itself. */
export function describeOperation(
  { 'x-route': facts = {}, parameters, requestBody, responses, ...rest }: Operation,
  method: string,
  path: string,
  context: Context,
): Operation {
  const isPriced = Boolean(facts.cost);
  const answers: Record<string, Response> = {};
  for (const [status, response] of Object.entries(responses)) {
    answers[status] = success(status, response as Response, context.named);
  }
  if (method === 'get' && (isPriced || facts.headers?.includes('ETag'))) {
    answers['304'] = { description: 'What If-None-Match names is still the answer; free of charge' };
  }
  for (const [status, answer] of Object.entries(answers))
    answer.headers = headersOf(Number(status), isPriced, facts.headers ?? [], context.headers);

  const takesKey = facts.problems?.includes('api_key_missing');
  return {
    operationId: nameOf(method, path),
    ...rest,
    ...(facts.price && { 'x-price': facts.price }),
    ...(parameters && { parameters: parameters.map(parameter) }),
    ...(requestBody && { requestBody: requestBodyOf(requestBody) }),
    security: facts.open ? (takesKey ? [{}, ...keyWith()] : []) : keyWith(facts.scope),
    responses: { ...answers, ...problemResponses(facts, context) },
  };
}
