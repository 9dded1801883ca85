/* A key in the path of a URL, `/k/{key}/…`. `request-target.ts` removes it from the URL. */

const KEY = Symbol('key in the URL');
type Request = { [KEY]?: string };

/** Marks a request whose URL is under `/k/`. `key` is empty if the path is not served there. */
export function setKeyInUrl(request: object, key: string): void {
  (request as Request)[KEY] = key;
}

export const keyInUrl = (request: object): string | undefined => (request as Request)[KEY] || undefined;

const NO_REFERRER = ['referrer-policy', 'no-referrer'] as const;
const NO_FIELDS: readonly string[] = [];

/** Header fields of a charged response, as a flat list: a page must not pass on a URL that contains a key. */
export const urlKeyFields = (request: object): readonly string[] =>
  (request as Request)[KEY] === undefined ? NO_FIELDS : NO_REFERRER;

/** Fields of any other response. Without a header with the key, a shared cache would store the response. */
export function urlKeyHeaders(request: object, cacheControl: unknown): Record<string, string> {
  if ((request as Request)[KEY] === undefined) return {};
  const directives = typeof cacheControl === 'string' ? cacheControl : '';
  if (/\b(private|no-store)\b/.test(directives)) return { 'referrer-policy': 'no-referrer' };
  return { 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-cache' };
}
