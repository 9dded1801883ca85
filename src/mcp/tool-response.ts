import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { iso } from '#core/clock';
import { type Body, bytesOf, type DataResponse } from '#server/responses/response-body';

/** ISO 8601 in the shortest form: the date of a midnight (UTC), otherwise the time to the second. */
export function isoTime(instant: number): string {
  const text = iso(instant).slice(0, 19);
  return text.endsWith('T00:00:00') ? text.slice(0, 10) : `${text}Z`;
}

export const isoOfHttpDate = (date: string | null): string | null => (date === null ? null : isoTime(Date.parse(date)));

export const isoTimeSchema = z.string();

/** The number of parsed bodies in memory. A series with 500 points takes 100 KB. */
const MAX_PARSED = 50;
const parsedBodies = new LRUCache<Body, object>({ max: MAX_PARSED });

/** The JSON of a route's response, which the response cache shares. Parsed once, so the value must not be changed. */
export function jsonOf<Value extends object>({ body }: DataResponse): Value {
  const cached = parsedBodies.get(body);
  if (cached) return cached as Value;
  const parsed = JSON.parse(bytesOf(body.identity.payload).toString()) as Value;
  parsedBodies.set(body, parsed);
  return parsed;
}

export const provenanceOf = ({ source, modifiedAt: at, gaps, currency }: Omit<DataResponse, 'body'>) => ({
  source,
  at,
  gaps,
  currency,
});
