import { PROBLEM_CODES, type ProblemCode, problemKind } from '#problems';
import type { WantedScope } from '#services/quota/key-problems';
import { headersOf, type Occurrence } from './described-headers.ts';
import { exampleOf, type NamedSchemas, problemExample, resolve, type Schema } from './schema-examples.ts';

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

/** The ways to present a key: any of them will do. */
const WITH_ANY_SCHEME: Record<string, string[]>[] = [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }];

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
  const told = headersOf(status, isPriced, [], headers);
  const usual = headersOf(status, false, [], headers);
  const name = [status, ...codes, ...Object.keys(told).filter((header) => !(header in usual))].join('-');
  const exampleOf = (code: ProblemCode) => {
    const kind = problemKind(code);
    const example = { summary: kind.title, value: { ...problemExample(code, basePath), status } };
    // A node's refusal has the status that the node gave.
    if (status !== kind.status) return example;
    examples[code] ??= example;
    return { $ref: `#/components/examples/${code}` };
  };
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${problemKind(code).title}`).join('; '),
    headers: told,
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

/** What a value is and what is wanted, as one text. The choices of an `enum` are in the schema already. */
function inWords(
  description: string | undefined,
  fix: string | undefined,
  schema: Schema,
): string | undefined {
  if (!description || !fix) return description ?? fix;
  if (schema.enum) return description;
  return description.endsWith('.') ? `${description} Wanted: ${fix}.` : `${description}: ${fix}`;
}

/**
 * A parameter as it is on the wire. `fix`, what is wanted, becomes a part of the description; `wire` takes the place
 * of a schema that zod would make of the text before it is parsed.
 */
function parameter({ schema, example, ...rest }: Parameter): Parameter {
  const { fix, wire, ...plain } = schema as Schema & { fix?: string; wire?: Schema };
  const { examples, ...shape } = wire ?? plain;
  const description = inWords(rest.description, fix, shape);
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
      const words = inWords(description, fix as string | undefined, member);
      return [name, { ...member, ...(words && { description: words }) }];
    });
    return { schema: { ...schema, ...(properties && { properties: Object.fromEntries(members) }) } };
  };
  const media = Object.entries(content).map(([type, one]) => [type, onWire(one)]);
  return { required: true, ...rest, content: Object.fromEntries(media) };
}

/** What answers that the caller's own copy is still good, declared once for all routes with the same headers. */
function notModified(isPriced: boolean, own: readonly Occurrence[], { responses, headers }: Context): Ref {
  const name = ['304', ...(isPriced ? ['priced'] : []), ...own].join('-').replaceAll('?', '');
  responses[name] ??= {
    description:
      'Not modified: what `If-None-Match` or `If-Modified-Since` names is still the answer. Free of charge.',
    headers: headersOf(304, isPriced, own, headers),
  };
  return { $ref: `#/components/responses/${name}` };
}

/** Completes an operation with all that follows from what its route says of itself. */
export function describeOperation(
  { 'x-route': facts = {}, parameters, requestBody, responses, ...rest }: Operation,
  method: string,
  context: Context,
): Operation {
  const isPriced = Boolean(facts.cost);
  const own = facts.headers ?? [];
  const answers: Record<string, Response | Ref> = {};
  for (const [status, response] of Object.entries(responses)) {
    const headers = headersOf(Number(status), isPriced, own, context.headers);
    answers[status] = { ...success(status, response as Response, context.named), headers };
  }
  if (method === 'get' && (isPriced || own.includes('ETag')))
    answers['304'] = notModified(isPriced, own, context);

  const takesKey = facts.problems?.includes('api_key_missing');
  return {
    ...rest,
    ...(facts.price && { 'x-price': facts.price }),
    ...(parameters && { parameters: parameters.map(parameter) }),
    ...(requestBody && { requestBody: requestBodyOf(requestBody) }),
    ...(facts.scope && facts.scope !== 'any' && { 'x-scope': facts.scope }),
    security: facts.open ? (takesKey ? [{}, ...WITH_ANY_SCHEME] : []) : WITH_ANY_SCHEME,
    responses: { ...answers, ...problemResponses(facts, context) },
  };
}
