import { maskApiKeys } from '#core/log';
import { BOUNDS } from './recent-requests.ts';

/** Parameters whose values are secret, wherever they are sent. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['api', 'ticket']);
const NAME = /^[\w.]{1,40}$/;
/** The maximum number of words in a value. A seed phrase has at least twelve. */
const MOST_WORDS = 6;
const HIDDEN = '…';

/** Returns undefined for invalid percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function isSafe(text: string): boolean {
  const plain = decoded(text);
  return plain !== undefined && plain.split(/\s+/).length <= MOST_WORDS && maskApiKeys(plain) === plain;
}

function shownPair(pair: string, declared: ReadonlySet<string>): string {
  const at = pair.indexOf('=');
  const name = decoded(at < 0 ? pair : pair.slice(0, at)) ?? '';
  const value = at < 0 ? '' : pair.slice(at + 1);
  if (!NAME.test(name) || maskApiKeys(name) !== name) return HIDDEN;
  const isShown = declared.has(name) && !SECRET_PARAMETERS.has(name) && isSafe(value);
  return `${name}=${isShown ? value : HIDDEN}`;
}

/**
 * The path of a request as the user's request log shows it, without the base path. Shows the values of the `declared`
 * parameters only, and nothing in the form of a key or a seed phrase.
 */
export function shownPath(url: string, basePath: string, declared: ReadonlySet<string>): string {
  const whole = url.slice(basePath.length);
  const at = whole.indexOf('?');
  const path = at < 0 ? whole : whole.slice(0, at);
  const hideParts = () => path.split('/').map((one) => (isSafe(one) ? one : HIDDEN));
  const segments = isSafe(path) ? path : hideParts().join('/');
  if (at < 0 || at === whole.length - 1) return clipped(segments);
  const pairs = whole.slice(at + 1).split('&');
  return clipped(`${segments}?${pairs.map((pair) => shownPair(pair, declared)).join('&')}`);
}

/** A copy, because a slice would keep the whole text in memory. */
const clipped = (text: string): string =>
  text.length <= BOUNDS.path ? text : Buffer.from(`${text.slice(0, BOUNDS.path - 1)}${HIDDEN}`).toString();
