import { UpstreamFailure } from '#upstream/failures/failure';

/** Redirects that turn a POST into a GET (RFC 9110, 15.4), and redirects that preserve the method. */
const METHOD_CHANGES: ReadonlySet<number> = new Set([301, 302, 303]);
const METHOD_STAYS: ReadonlySet<number> = new Set([307, 308]);
export const isRedirect = (status: number): boolean => METHOD_CHANGES.has(status) || METHOD_STAYS.has(status);

type Redirect = {
  status: number;
  location: string | string[] | undefined;
  from: string;
  isPost: boolean;
  /** Whether the request is itself the target of a redirect. A second redirect is usually a loop. */
  isSecond: boolean;
};

/** The same host and port, or the same host over TLS. Keys are sent neither to another host nor in plain text. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '';
}

/**
 * Throws `refused` with the target's host if a redirect must not be followed. The request then counts as not sent,
 * because a server that redirects a request does not process it.
 */
export function redirectTarget(name: string, { status, location, from, isPost, isSecond }: Redirect): string {
  const target = typeof location === 'string' ? URL.parse(location, from) : null;
  const keepsMethod = !isPost || METHOD_STAYS.has(status);
  if (target && isSameHost(new URL(from), target) && keepsMethod && !isSecond) return target.href;
  const to = target ? `a redirect to ${target.host}` : 'a redirect without a target';
  throw new UpstreamFailure(name, 'refused', `status ${status}: ${to}`, { sent: false });
}
