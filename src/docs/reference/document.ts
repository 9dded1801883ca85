import type { Document, Operation, Parameter, Ref, Response, Schema } from '#docs/openapi/schemas';
import { MANY_CHOICES } from './schema-html.ts';

export type DocumentedResponse = {
  status: string;
  description: string;
  schema?: Schema | undefined;
  example?: unknown;
  csv?: string | undefined;
  events?: string | undefined;
};

export type Entry = {
  id: string;
  method: string;
  path: string;
  tag: string;
  title: string;
  description: string;
  price: string | undefined;
  needsKey: boolean;
  /** Whether a key is accepted, even if it is not required. */
  takesKey: boolean;
  scope: string | undefined;
  parameters: Parameter[];
  body: Schema | undefined;
  isStream: boolean;
  successes: DocumentedResponse[];
  headers: string[];
  problems: Problem[];
};

export type Problem = { status: string; code: string };

function follow<T extends object>(document: Document, value: T | Ref): T {
  if (!('$ref' in value)) return value;
  const steps = String(value.$ref).slice('#/'.length).split('/');
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  return follow(document, found as T | Ref);
}

const EVENTS = 'text/event-stream';
const isSuccess = (status: string) => status.startsWith('2');

function responseOf(status: string, { description, content = {} }: Response): DocumentedResponse {
  const json = content['application/json'];
  const csv = content['text/csv']?.example;
  const events = content[EVENTS]?.example;
  return {
    status,
    description,
    schema: json?.schema,
    example: json?.example,
    csv: csv === undefined ? undefined : String(csv),
    events: events === undefined ? undefined : String(events),
  };
}

function entryOf(document: Document, path: string, method: string, operation: Operation): Entry {
  const { operationId, summary = '', tags, description, security = [], requestBody } = operation;
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, follow<Response>(document, response)] as const,
  );
  const successes = responses.filter(([status]) => isSuccess(status));
  const headers = new Set(successes.flatMap(([, response]) => Object.keys(response.headers ?? {})));
  const problems = responses.flatMap(([status, { content }]) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}).map((code) => ({ status, code })),
  );
  const ways = security.map((way) => Object.keys(way).length);
  const takesKey = ways.some((schemes) => schemes > 0);
  const needsKey = takesKey && !ways.includes(0);
  return {
    id: operationId ?? `${method}${path}`,
    method: method.toUpperCase(),
    path,
    needsKey,
    takesKey,
    problems,
    tag: tags?.[0] ?? '',
    title: summary,
    description: String(description ?? ''),
    price: headers.has('RateLimit') ? (operation['x-price'] ?? 'one call') : undefined,
    scope: operation['x-scope'],
    parameters: (operation.parameters ?? []).map((parameter) => follow<Parameter>(document, parameter)),
    body: requestBody?.content['application/json']?.schema,
    isStream: successes.some(([, { content }]) => content?.[EVENTS] !== undefined),
    successes: successes.map(([status, response]) => responseOf(status, response)),
    headers: [...headers],
  };
}

/** All operations in the order of their tags. Operations without a key come first, because new users have no key. */
export function entriesOf(document: Document): Entry[] {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => entryOf(document, path, method, operation)),
  );
  const keyless = entries.toSorted((entry, other) => Number(entry.takesKey) - Number(other.takesKey));
  return document.tags.flatMap(({ name }) => keyless.filter(({ tag }) => tag === name));
}

const inAll = (lists: readonly (readonly string[])[]): string[] =>
  (lists[0] ?? []).filter((item) => lists.every((list) => list.includes(item)));

/** A parameter is described once if at least OFTEN operations share it and its description exceeds LONG characters. */
const OFTEN = 3;
const LONG = 160;
const isLong = ({ description = '', schema }: Parameter) =>
  description.length > LONG || (schema.enum?.length ?? 0) > MANY_CHOICES;

export function sharedOf(entries: readonly Entry[]) {
  // The errors of some paths are not problems.
  const withProblems = entries.filter(({ problems }) => problems.length > 0);
  const withKey = withProblems.filter(({ needsKey }) => needsKey);
  const priced = withProblems.filter(({ price }) => price !== undefined);
  const cached = priced.filter(({ isStream }) => !isStream);
  const codes = (some: readonly Entry[]) => inAll(some.map(({ problems }) => problems.map(({ code }) => code)));
  const everywhere = codes(withProblems);
  const parametersByText = new Map<string, { parameter: Parameter; uses: number }>();
  for (const parameter of entries.flatMap(({ parameters }) => parameters)) {
    const key = `${parameter.name} ${parameter.description}`;
    parametersByText.set(key, { parameter, uses: (parametersByText.get(key)?.uses ?? 0) + 1 });
  }
  return {
    codes: {
      everywhere,
      withKey: codes(withKey).filter((code) => !everywhere.includes(code)),
      priced: codes(priced).filter((code) => !codes(withKey).includes(code)),
    },
    headers: new Set([...inAll(entries.map(({ headers }) => headers)), ...inAll(cached.map((entry) => entry.headers))]),
    parameters: [...parametersByText.values()]
      .filter(({ parameter, uses }) => uses >= OFTEN && isLong(parameter))
      .map(({ parameter }) => parameter),
  };
}

export type Shared = ReturnType<typeof sharedOf>;

export function termsOf({ price, takesKey, scope }: Entry): string {
  const key = !takesKey
    ? 'No key required'
    : scope === undefined || scope === 'any'
      ? 'Any key'
      : scope === 'account'
        ? 'Owner key (scope `account`)'
        : `Key with the scope \`${scope}\``;
  return `${price === undefined ? 'Free' : `Costs ${price}`} · ${key}`;
}

/** The operation's problems, except shared problems, which are documented once. */
export function ownProblems({ problems }: Entry, { codes }: Shared): Problem[] {
  const said = new Set(Object.values(codes).flat());
  return problems.filter(({ code }) => !said.has(code));
}

type Shown = { label: string; language: string; text: string };

export const exampleResponses = ({ successes }: Entry): Shown[] =>
  successes.flatMap(({ status, example, csv, events }) => {
    const label = `Response ${status}`;
    const shown: Shown[] = [];
    if (events !== undefined) shown.push({ label, language: 'text', text: events.trimEnd() });
    if (example !== undefined) shown.push({ label, language: 'json', text: JSON.stringify(example, null, 2) });
    if (csv !== undefined) shown.push({ label: `${label}, CSV`, language: 'csv', text: csv.trimEnd() });
    return shown;
  });
