import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { hasApiKeyPrefix } from '#core/log';
import { invalidRequest, Problem } from '#core/problems';
import { fieldsIn } from '#server/connections/request-head';
import { keyInUrl } from '#server/url-key';

const FIX =
  'send the key in the X-API-KEY header, as a Bearer token, or as the user name of Basic authentication. For a client that ' +
  'cannot send headers, create a URL key';

/** Returns the Bearer token (RFC 6750) or, for Basic (RFC 7617), the user name or password if only one is set. */
function keyInAuthorization(field: string): string | undefined {
  const space = field.indexOf(' ');
  const scheme = field.slice(0, space).toLowerCase();
  const credentials = field.slice(space + 1).trim();
  if (scheme === 'bearer') return credentials || undefined;
  if (scheme !== 'basic') return undefined;
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  const name = text.slice(0, colon);
  const password = text.slice(colon + 1);
  if (colon < 0 || (name !== '' && password !== '')) return undefined;
  return name || password || undefined;
}

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Returns every `Authorization` field. Node's `headers` contains only the first. */
const authorizationsIn = ({ rawHeaders }: Head): string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'authorization');

/**
 * Returns a request's distinct keys. If `X-API-KEY` or the path contains a key, ignores values in `Authorization` that do
 * not look like a key, because they may be a proxy's credentials.
 */
export function keysIn(head: Head): string[] {
  const { 'x-api-key': own } = head.headers;
  // Node joins fields of the same name with commas. No key contains a comma.
  const keys = new Set(typeof own === 'string' ? own.split(',').map((one) => one.trim()) : []);
  keys.add(keyInUrl(head) ?? '').delete('');
  const hasOwn = keys.size > 0;
  for (const field of authorizationsIn(head)) {
    const key = keyInAuthorization(field);
    if (key !== undefined && (!hasOwn || hasApiKeyPrefix(key))) keys.add(key);
  }
  return [...keys];
}

/** Returns the key of a request that contains exactly one key. The common case builds no list. */
export function keyAtOnce(head: Head): string | undefined {
  const { authorization, 'x-api-key': own } = head.headers;
  const inUrl = keyInUrl(head);
  if (inUrl === undefined && authorization === undefined && typeof own === 'string' && !own.includes(',')) return own;
  if (inUrl !== undefined && authorization === undefined && own === undefined) return inUrl;
  const isAlone = inUrl === undefined && own === undefined && fieldsIn(head.rawHeaders, 'authorization') === 1;
  if (isAlone) return keyInAuthorization(authorization as string);
  const [key, ...others] = keysIn(head);
  return others.length === 0 ? key : undefined;
}

/**
 * Returns the request's only key. Throws `api_key_missing` if there is none, and `invalid_request` for two different
 * keys.
 */
export function presentedKey({ raw, query }: FastifyRequest): string {
  const onlyKey = keyAtOnce(raw);
  if (onlyKey) return onlyKey;
  const [key, ...others] = keysIn(raw);
  if (others.length > 0) {
    const location = raw.headers.authorization === undefined ? 'header.x-api-key' : 'header.authorization';
    throw invalidRequest({ location, message: 'contains a different key', fix: 'send one key in one place' });
  }
  if (key !== undefined) return key;
  const isInQuery = query !== null && typeof query === 'object' && 'api' in query;
  throw new Problem(
    'api_key_missing',
    isInQuery ? `This endpoint does not accept a key in the URL: ${FIX}.` : `The request contains no API key: ${FIX}.`,
    {
      members: isInQuery ? { errors: [{ location: 'query.api', message: 'is not accepted here', fix: FIX }] } : {},
    },
  );
}
