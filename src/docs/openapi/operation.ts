import { headersOf, type Occurrence, STREAMED } from './described-headers.ts';
import { problemResponses } from './problem-responses.ts';
import {
  type Context,
  type Document,
  exampleOf,
  type Media,
  type NamedSchemas,
  type Operation,
  type Parameter,
  type Ref,
  type Response,
  resolve,
  type Schema,
} from './schemas.ts';

/** Appends the expected input to a description, unless an `enum` in the schema already lists it. */
function inWords(description: string | undefined, fix: string | undefined, schema: Schema): string | undefined {
  if (!description || !fix) return description ?? fix;
  if (schema.enum) return description;
  return description.endsWith('.') ? `${description} Expected: ${fix}.` : `${description}: ${fix}`;
}

/** Appends `fix`, the expected input, to the description. `wire` replaces zod's schema of the unparsed text. */
function describedParameter({ schema, example, ...rest }: Parameter): Parameter {
  const { fix, wire, ...plain } = schema;
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

function describedBody({ content, ...rest }: NonNullable<Operation['requestBody']>) {
  const onWire = ({ schema: { properties, ...schema } }: { schema: Schema }) => {
    const members = Object.entries(properties ?? {}).map(([name, { fix, description, ...member }]) => {
      const words = inWords(description, fix, member);
      return [name, { ...member, ...(words && { description: words }) }];
    });
    return { schema: { ...schema, ...(properties && { properties: Object.fromEntries(members) }) } };
  };
  const media = Object.entries(content).map(([type, body]) => [type, onWire(body)]);
  return { required: true, ...rest, content: Object.fromEntries(media) };
}

/** Parameters that several operations share, by name, with their most common description. */
function sharedOf({ paths }: Document): Map<string, Parameter> {
  const uses = new Map<string, Parameter[]>();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter);
    uses.set(text, [...(uses.get(text) ?? []), parameter]);
  }
  const often = [...uses.values()].filter((same) => same.length > 1).sort((a, b) => a.length - b.length);
  return new Map(often.flatMap(([parameter]) => (parameter ? [[parameter.name, parameter]] : [])));
}

export function withSharedParameters(document: Document): object {
  const shared = sharedOf(document);
  const refer = (parameter: Parameter) =>
    JSON.stringify(shared.get(parameter.name)) === JSON.stringify(parameter)
      ? { $ref: `#/components/parameters/${parameter.name}` }
      : parameter;
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, { parameters, ...operation }]) => [
      method,
      { ...operation, ...(parameters && { parameters: parameters.map(refer) }) },
    ]);
    return [path, Object.fromEntries(operations)];
  });
  const components = { ...document.components, parameters: Object.fromEntries(shared) };
  return { ...document, paths: Object.fromEntries(paths), components };
}

function success(status: string, { description, content }: Response, named: NamedSchemas): Response {
  if (status === '204' || !content) return { description: 'Success, no content' };
  const media = Object.entries(content).map(([type, { schema }]): [string, Media] => {
    return [type, { schema, example: exampleOf(schema, named) }];
  });
  const own = media[0] && resolve(media[0][1].schema, named).description;
  const isDefault = description === 'Default Response';
  return { description: (isDefault && own) || description, content: Object.fromEntries(media) };
}

/** Declares the response once per set of headers. Excludes `Quotient-Currency`, because it can contain a rate. */
function notModified(isPriced: boolean, all: readonly Occurrence[], { responses, headers }: Context): Ref {
  const own = all.filter((header) => header !== 'Quotient-Currency?');
  const name = ['304', ...(isPriced ? ['priced'] : []), ...own].join('-').replaceAll('?', '');
  responses[name] ??= {
    description: 'Not modified. Your stored response is still current. Free of charge.',
    headers: headersOf(304, isPriced, own, headers),
  };
  return { $ref: `#/components/responses/${name}` };
}

export function describeOperation(
  { 'x-route': route = {}, parameters, requestBody, responses, ...rest }: Operation,
  method: string,
  context: Context,
): Operation {
  const isPriced = Boolean(route.cost) && !route.streams;
  const own = route.streams ? STREAMED : (route.headers ?? []);
  const successes: Record<string, Response | Ref> = {};
  for (const [status, response] of Object.entries(responses)) {
    const headers = headersOf(Number(status), isPriced, own, context.headers);
    successes[status] = { ...success(status, response as Response, context.named), headers };
  }
  if (method === 'get' && (isPriced || own.includes('ETag'))) successes['304'] = notModified(isPriced, own, context);

  return {
    ...rest,
    ...(route.price && { 'x-price': route.price }),
    ...(parameters && { parameters: parameters.map(describedParameter) }),
    ...(requestBody && { requestBody: describedBody(requestBody) }),
    ...(route.scope && route.scope !== 'any' && { 'x-scope': route.scope }),
    security: route.open ? [] : route.keyInQuery ? [{}, ...context.access.security] : [...context.access.security],
    responses: { ...successes, ...problemResponses(route, context) },
  };
}
