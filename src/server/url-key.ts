/* A key in the path of a URL, `/k/{key}/…`. `request-target.ts` removes it from the URL. */

const KEY = Symbol('key in the URL');
type Marked = { [KEY]?: string };

/** Marks a request whose URL is under `/k/`. `key` is empty if the path is not served there. */
export function setKeyInUrl(request: Marked & object, key: string): void {
  request[KEY] = key;
}

/** Whether the URL of a request is under `/k/`. */
export const isUnderUrlKey = (request: Marked & object): boolean => request[KEY] !== undefined;

export const keyInUrl = (request: Marked & object): string | undefined => request[KEY] || undefined;

const NO_REFERRER = ['referrer-policy', 'no-referrer'] as const;
const NO_FIELDS: readonly string[] = [];

/** Header fields of a charged response, as a flat list: a page must not pass on a URL that contains a key. */
export const urlKeyFields = (request: Marked & object): readonly string[] =>
  isUnderUrlKey(request) ? NO_REFERRER : NO_FIELDS;

/** Fields of any other response. Without a header with the key, a shared cache would store the response. */
export function urlKeyHeaders(request: Marked & object, cacheControl: unknown): Record<string, string> {
  if (!isUnderUrlKey(request)) return {};
  const directives = typeof cacheControl === 'string' ? cacheControl : '';
  if (/\b(private|no-store)\b/.test(directives)) return { 'referrer-policy': 'no-referrer' };
  return { 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-cache' };
}
