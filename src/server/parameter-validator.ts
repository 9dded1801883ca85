import type { z } from 'zod';
import { invalidRequest } from '#core/problems';
import { misspeltIn } from './parameter-names.ts';

type Shape = Record<string, z.ZodType>;

function wrong(name: string, input: Record<string, unknown>, message: string, place: string): string {
  const value = input[name];
  if (place === 'body' && value !== undefined) return message;
  if (Array.isArray(value) && place !== 'arguments') return `was sent ${value.length} times`;
  if (value === '') return 'is empty';
  return value === undefined ? 'is missing' : message;
}

const PLACES: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

/** Fastify's validator compiler. It reports all faults of a request in one problem. */
export function parameterValidator({ schema, httpPart = 'query' }: { schema: unknown; httpPart?: string }) {
  const object = schema as z.ZodObject<Shape>;
  const place = PLACES[httpPart] ?? httpPart;
  const names = Object.keys(object.shape);
  return (data: unknown) => {
    if (place === 'body' && (typeof data !== 'object' || data === null || Array.isArray(data))) {
      const message = data === undefined || data === null ? 'is missing' : 'must be a JSON object';
      const fix = `send {${names.join(', ')}}`;
      return { error: invalidRequest({ location: place, message, fix }) };
    }
    const input = (data ?? {}) as Record<string, unknown>;
    const misspelt = misspeltIn(place, Object.keys(input), names);
    const parsed = object.safeParse(data);
    if (parsed.success && misspelt.length === 0) return { value: parsed.data };
    const faults = new Map(misspelt.map((fault) => [fault.location.slice(place.length + 1), fault]));
    for (const issue of parsed.error?.issues ?? []) {
      const name = String(issue.path[0] ?? '');
      const own = (issue as { params?: { fix?: string } }).params?.fix;
      const form = own ?? object.shape[name]?.meta()?.fix;
      const fault = {
        location: name === '' ? place : `${place}.${name}`,
        message: wrong(name, input, issue.message, place),
        fix: form === undefined ? 'see the API reference' : `use ${form}`,
      };
      if (!faults.has(name)) faults.set(name, fault);
    }
    return { error: invalidRequest(...faults.values()) };
  };
}
