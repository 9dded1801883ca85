import type { IncomingMessage } from 'node:http';
import { LIMITS } from './connections/request-head.ts';
import { setKeyInUrl } from './url-key.ts';

const isUnder = (path: string, prefix: string): boolean =>
  prefix === '' ||
  (path.startsWith(prefix) && (path.length === prefix.length || '/?'.includes(path[prefix.length] as string)));

/**
 * Returns a function that converts the target of a request to the path of a route. A proxy may replace or strip the
 * prefix of the routes, which clients see. The absolute form must be accepted (RFC 9112, 3.2.2).
 */
export function createTargets(basePath: string, received: string) {
  return function targetOf(url: string): string {
    let path = url;
    if (!url.startsWith('/')) {
      path = url.replace(/^https?:\/\/[^/?]*/i, '');
      if (path !== url && !path.startsWith('/')) path = `/${path}`;
    }
    if (basePath === received || isUnder(path, basePath) || !isUnder(path, received)) return path;
    return basePath + path.slice(received.length);
  };
}

/** The paths that are served under a key. The router resolves no dots and decodes no slashes. */
const SERVED_BELOW_KEY = /^(\/v1\/prices\/|\/v1\/node\/|\/api\/v3\/|\/v1\/tokens(?![^?#])|\/mcp\/?(?![^?#]))/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Takes the key out of a path `/k/{key}/…`, before anything else sees the URL. A path that is not served under a key is
 * replaced by a path that no route matches. A URL that is too long is rejected later.
 */
function takeKey(request: IncomingMessage, url: string, basePath: string): string {
  const prefix = `${basePath}/k/`;
  if (!url.startsWith(prefix)) return url;
  setKeyInUrl(request, '');
  if (url.length > LIMITS.uri) return url;
  const [, key = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(url.slice(prefix.length)) ?? [];
  if (key === '' || !SERVED_BELOW_KEY.test(rest)) return `${prefix}***${/\?.*$/s.exec(rest)?.[0] ?? ''}`;
  setKeyInUrl(request, decoded(key));
  return basePath + rest;
}

/** Returns a function that sets the URL of a request to the path of a route, without a key. */
export function createRequestTargets(basePath: string, received: string) {
  const targetOf = createTargets(basePath, received);
  return (request: IncomingMessage): void => {
    request.url = takeKey(request, targetOf(request.url as string), basePath);
  };
}
