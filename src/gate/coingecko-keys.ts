import type { IncomingMessage } from 'node:http';
import { invalidRequest, Problem } from '#core/problems';
import { isApiKey } from '#keys/api-key';
import { keyInUrl } from '#server/url-key';
import { keyAtOnce, keysIn } from './presented-key.ts';

const HEADERS = ['x-cg-demo-api-key', 'x-cg-pro-api-key'] as const;
const PARAMETERS = ['x_cg_demo_api_key', 'x_cg_pro_api_key'] as const;
const PREFIX = 'x_cg_';

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;

/** The distinct values in the places of CoinGecko's keys and of this service's keys. */
function valuesIn(head: Head): Set<string> {
  const { headers, url = '' } = head;
  const values = new Set(keysIn(head));
  // Node joins fields of the same name with commas. No key contains a comma.
  for (const name of HEADERS)
    for (const value of String(headers[name] ?? '').split(',')) if (value.trim() !== '') values.add(value.trim());
  const start = url.indexOf('?');
  if (start < 0 || !url.includes(PREFIX, start)) return values;
  const query = new URLSearchParams(url.slice(start + 1));
  for (const name of PARAMETERS)
    for (const value of query.getAll(name)) if (value.trim() !== '') values.add(value.trim());
  return values;
}

/** Programs also send placeholders and CoinGecko's own keys. These are ignored. */
function keysOf(head: Head): { keys: string[]; isOther: boolean } {
  const values = [...valuesIn(head)];
  const keys = values.filter(isApiKey);
  return { keys, isOther: keys.length < values.length };
}

/**
 * Returns the key of a request to the CoinGecko API that contains exactly one key of this service. The common cases build
 * no list and do not check the form, because an unknown key has no holder.
 */
export function coinGeckoKeyAtOnce(head: Head): string | undefined {
  const { headers, url = '' } = head;
  const [demo, pro] = HEADERS.map((name) => headers[name]);
  if (!url.includes(PREFIX) && keyInUrl(head) === undefined) {
    if (demo === undefined && pro === undefined) return keyAtOnce(head);
    const key = demo ?? pro;
    const isAlone = demo === undefined || pro === undefined;
    const hasOthers = headers['x-api-key'] !== undefined || headers.authorization !== undefined;
    if (isAlone && !hasOthers && typeof key === 'string') return key;
  }
  const { keys } = keysOf(head);
  return keys.length === 1 ? keys[0] : undefined;
}

/** Like `coinGeckoKeyAtOnce`. Throws `api_key_missing`, `api_key_invalid` or `invalid_request`. */
export function coinGeckoKey(head: Head): string {
  const { keys, isOther } = keysOf(head);
  const [key, another] = keys;
  if (another !== undefined)
    throw invalidRequest({ location: 'request', message: 'contains two different keys', fix: 'send one key' });
  if (key !== undefined) return key;
  if (isOther)
    throw new Problem(
      'api_key_invalid',
      'The request contains no key of this service. Send a key that starts with qt_.',
    );
  const fix = `send a key of this service in ${HEADERS[1]} or ${PARAMETERS[1]}`;
  throw new Problem('api_key_missing', `The request contains no API key: ${fix}.`);
}
