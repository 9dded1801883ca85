import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Ref = { $ref: string };
type Described = { required?: boolean; schema: { type?: string } };
type Response = {
  description: string;
  headers: Record<string, Ref>;
  content?: Record<
    string,
    { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
  >;
};
type Parameter = { name: string; schema: object; example?: unknown; required: boolean };
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  responses: Record<string, Response>;
};
export type Document = {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; headers: Record<string, Described> };
};

/** An answer as it was received; header names in lower case. `path` without base path and query. */
export type Received = {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** Headers that are HTTP's own business, or the browser's. */
const STANDARD = /^(date|connection|keep-alive|transfer-encoding|content-[a-z-]+)$/;
const PROBLEM_TYPE = 'application/problem+json';
/** What may be answered where nothing is described: unknown paths, and what is refused before a path is known. */
const ELSEWHERE = new Set([400, 404, 405, 413, 414, 431]);

/** The published description, as something to hold answers to. */
export function published(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (target: Ajv2020) => void)(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });

  function schemaFaults(pointer: string, value: unknown): string[] {
    const validate = ajv.getSchema(`openapi#${pointer}`);
    if (!validate) return [`there is no schema at ${pointer}`];
    return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
  }

  const pointerTo = (...parts: string[]) =>
    parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

  function operationAt(method: string, path: string) {
    const operations = document.paths[path];
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    if (operations?.[verb]) return { pointer: pointerTo('paths', path, verb), operation: operations[verb] };
    const [other, operation] = Object.entries(operations ?? {})[0] ?? [];
    return other && operation
      ? { pointer: pointerTo('paths', path, other), operation, otherMethod: true }
      : undefined;
  }

  function headerFaults(declared: Record<string, Ref>, received: Record<string, string>): string[] {
    const faults: string[] = [];
    const names = new Map(Object.entries(declared).map(([name, ref]) => [name.toLowerCase(), ref.$ref]));
    for (const name of Object.keys(received)) {
      if (!names.has(name) && !STANDARD.test(name)) faults.push(`header ${name} is not declared`);
    }
    for (const [name, ref] of names) {
      const { required, schema } = document.components.headers[ref.split('/').at(-1) ?? ''] ?? {};
      const text = received[name];
      if (text === undefined) {
        if (required) faults.push(`header ${name} is missing`);
        continue;
      }
      const value = schema?.type === 'integer' ? Number(text) : text;
      faults.push(...schemaFaults(`${ref.slice(1)}/schema`, value).map((fault) => `header ${name}${fault}`));
    }
    return faults;
  }

  function problemFaults({ status, body }: Received, description?: string): string[] {
    const faults = schemaFaults('/components/schemas/Problem', JSON.parse(body));
    const { code, status: told } = JSON.parse(body) as { code: string; status: number };
    if (told !== status) faults.push(`the body tells status ${told}`);
    if (description && !description.includes(`\`${code}\``)) faults.push(`code ${code} is not declared`);
    return faults;
  }

  /** What is wrong with an answer where the description knows of no path. */
  function faultsElsewhere(received: Received): string[] {
    const { status, headers, method } = received;
    const faults = ELSEWHERE.has(status) ? [] : [`status ${status}`];
    for (const name of ['x-request-id', 'cache-control']) {
      if (!headers[name]) faults.push(`header ${name} is missing`);
    }
    if (!headers['content-type']?.startsWith(PROBLEM_TYPE)) return [...faults, 'no problem is told'];
    return method === 'HEAD' ? faults : [...faults, ...problemFaults(received)];
  }

  return {
    document,
    schemaFaults,
    pointerTo,

    /** What in an answer is not as published: nothing, when all is well. */
    faults(received: Received): string[] {
      const { method, path, status, headers, body } = received;
      const at = operationAt(method, path);
      if (!at) return faultsElsewhere(received);
      if (at.otherMethod && !ELSEWHERE.has(status)) return [`${status} to a method that is not described`];
      const response = at.operation.responses[status];
      if (!response) return [`status ${status} is not declared`];
      const faults = headerFaults(response.headers, headers);
      const type = headers['content-type']?.split(';')[0] ?? '';
      if (method === 'HEAD' || !response.content) {
        return body === '' ? faults : [...faults, 'there is a body where none belongs'];
      }
      if (!response.content[type]) return [...faults, `media type ${type} is not declared`];
      if (type === PROBLEM_TYPE) return [...faults, ...problemFaults(received, response.description)];
      const value = type === 'application/json' ? JSON.parse(body) : body;
      const pointer = `${at.pointer}${pointerTo('responses', String(status), 'content', type, 'schema')}`;
      return [...faults, ...schemaFaults(pointer, value)];
    },
  };
}
