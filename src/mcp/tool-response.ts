import { LRUCache } from 'lru-cache';
import type { Body, DataResponse } from '#server/responses/response-body';

/** The number of parsed bodies in memory. A series with 500 points takes 100 KB. */
const MAX_PARSED = 50;
const parsedBodies = new LRUCache<Body, object>({ max: MAX_PARSED });

/** The JSON of a route's response, which the response cache shares. Parsed once, so the value must not be changed. */
export function jsonOf<Value extends object>({ body }: DataResponse): Value {
  const cached = parsedBodies.get(body);
  if (cached) return cached as Value;
  const { payload } = body.identity;
  const text = (typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload).toString();
  const parsed = JSON.parse(text) as Value;
  parsedBodies.set(body, parsed);
  return parsed;
}

export const provenanceOf = ({ source, modifiedAt: at, gaps, currency }: Omit<DataResponse, 'body'>) => ({
  source,
  at,
  gaps,
  currency,
});
