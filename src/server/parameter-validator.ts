import type { z } from 'zod';
import { type InputFault, invalidRequest } from '#core/problems';
import { editDistance, tolerance } from '#core/record-fields';

type Shape = Record<string, z.ZodType>;

/** Returns the message for a fault of one parameter: `message` from zod, or a more precise message. */
function wrong(name: string, given: Record<string, unknown>, message: string, place: string): string {
  const value = given[name];
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
  const known = Object.keys(object.shape);
  return (data: unknown) => {
    if (place === 'body' && (typeof data !== 'object' || data === null || Array.isArray(data))) {
      const message = data === undefined || data === null ? 'is missing' : 'must be a JSON object';
      const fix = `send {${known.join(', ')}}`;
      return { error: invalidRequest({ location: place, message, fix }) };
    }
    const given = (data ?? {}) as Record<string, unknown>;
    const misspelt = misspeltIn(place, Object.keys(given), known);
    const parsed = object.safeParse(data);
    if (parsed.success && misspelt.length === 0) return { value: parsed.data };
    const faults = new Map(misspelt.map((fault) => [fault.location.slice(place.length + 1), fault]));
    for (const issue of parsed.error?.issues ?? []) {
      const name = String(issue.path[0] ?? '');
      const own = (issue as { params?: { fix?: string } }).params?.fix;
      const fix = own ?? String(object.shape[name]?.meta()?.fix ?? 'see the API reference');
      const fault = {
        location: name === '' ? place : `${place}.${name}`,
        message: wrong(name, given, issue.message, place),
        fix: `use ${fix}`,
      };
      if (!faults.has(name)) faults.set(name, fault);
    }
    return { error: invalidRequest(...faults.values()) };
  };
}

/** The names of this API's parameters in other services. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  currency: ['vs_currency'],
  thruDate: ['toDate', 'endDate', 'to'],
  fromDate: ['startDate', 'from'],
  tokenName: ['token', 'coin', 'id', 'symbol'],
  graceSeconds: ['grace', 'gracePeriod'],
  tokenNames: ['tokens', 'coins', 'ids', 'symbols'],
  token: ['tokenName', 'coin', 'id', 'symbol'],
};

/** The edit distance between two names, ignoring case. Infinity if it is too large. */
const apart = (name: string, known: string): number =>
  editDistance(name.toLowerCase(), known.toLowerCase(), tolerance(known.length));

/** Returns the known name that differs from another only in case or in one or two letters. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const [first] = known.toSorted((a, b) => apart(name, a) - apart(name, b));
  return first !== undefined && apart(name, first) < Number.POSITIVE_INFINITY ? first : undefined;
}

/** Suggests a known parameter for an unknown name. Submitted values are never repeated. */
function faultOf(place: string, name: string, known: readonly string[], given: readonly string[]): InputFault[] {
  const nearly = nearest(name, known);
  const same = known.find((one) => place !== 'body' && OTHER_NAMES[one]?.includes(name) && !given.includes(one));
  const right = nearly ?? same;
  if (right === undefined) return [];
  const message = nearly ? 'is misspelled' : `was sent as ${name}`;
  const fix = `use the ${place === 'body' ? 'member' : 'parameter'} name ${right}`;
  return [{ location: `${place}.${right}`, message, fix }];
}

/** Reports unknown parameters or members that resemble known ones: misspelled names, and names from other services. */
const misspeltIn = (place: string, given: readonly string[], known: readonly string[]): InputFault[] =>
  place === 'path'
    ? []
    : given.filter((name) => !known.includes(name)).flatMap((name) => faultOf(place, name, known, given));
