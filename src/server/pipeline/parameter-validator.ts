import type { z } from 'zod';
import { invalidRequest } from '#core/problems';
import { misspeltParameters } from './misspelt-parameters.ts';

type Shape = Record<string, z.ZodType>;

/** What is wrong with one parameter, in words; zod's own issue tells the rest. */
function wrong(name: string, given: Record<string, unknown>, message: string, place: string): string {
  const value = given[name];
  if (place === 'body' && value !== undefined) return message;
  if (Array.isArray(value)) return `is given ${value.length} times`;
  if (value === '') return 'is empty';
  return value === undefined ? 'is missing' : message;
}

/** Where a part of the request is, in the words of a problem. */
const PLACES: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

/** Holds the input of a route to its schema: Fastify's validator compiler. Every fault becomes part of one problem. */
export function parameterValidator({ schema, httpPart = 'query' }: { schema: unknown; httpPart?: string }) {
  const object = schema as z.ZodObject<Shape>;
  const place = PLACES[httpPart] ?? httpPart;
  const known = Object.keys(object.shape);
  return (data: unknown) => {
    if (place === 'body' && (typeof data !== 'object' || data === null || Array.isArray(data))) {
      const message = data === undefined || data === null ? 'is missing' : 'is not a JSON object';
      const fix = `send {${known.join(', ')}}`;
      return { error: invalidRequest({ location: place, message, fix }) };
    }
    const given = (data ?? {}) as Record<string, unknown>;
    const misspelt = httpPart === 'querystring' ? misspeltParameters(Object.keys(given), known) : [];
    const parsed = object.safeParse(data);
    if (parsed.success && misspelt.length === 0) return { value: parsed.data };
    const faults = new Map(misspelt.map((fault) => [fault.location.replace('query.', ''), fault]));
    for (const issue of parsed.error?.issues ?? []) {
      const name = String(issue.path[0] ?? '');
      const own = (issue as { params?: { fix?: string } }).params?.fix;
      const fix = own ?? String(object.shape[name]?.meta()?.fix ?? 'see the interface description');
      const fault = {
        location: name === '' ? place : `${place}.${name}`,
        message: wrong(name, given, issue.message, place),
        fix: `give ${fix}`,
      };
      if (!faults.has(name)) faults.set(name, fault);
    }
    return { error: invalidRequest(...faults.values()) };
  };
}
