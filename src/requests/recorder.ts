import { maskApiKeys } from '#core/log';
import type { EndedRequest, Gate } from '#server/gate';
import { BOUNDS, isFailed, type RecentRequests } from './recent-requests.ts';

/** Parameters whose values are secret, wherever they are sent. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['api', 'ticket']);
/** The pattern of a name that is shown. It is shorter than a key. */
const NAME = /^[\w.]{1,40}$/;
/** The maximum number of words in a text with spaces, and in an item of a list: less than a seed phrase has. */
const MAX_WORDS = { spaced: 6, inItem: 11 } as const;
const ENCODED = /%[\dA-F]{2}/i;
/** The scheme and host of an absolute URL, which the router drops too. They can contain a password. */
const ORIGIN = /^https?:\/\/.*?\//;
const HIDDEN = '…';
/** An address has at least 26 characters. No word of the service's own details is as long. */
const LONG_WORD = /[\dA-Za-z]{25,}/g;
/** A seed phrase has at least twelve words of three to eight letters. */
const PHRASE = /\b(?:[a-z]{3,8}\s+){11,}[a-z]{3,8}\b/g;

/** Returns undefined for invalid percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const isPhrase = (plain: string): boolean =>
  plain.split(/\s+/).length > MAX_WORDS.spaced ||
  plain.split(',').some((item) => item.split(/[^\p{L}\p{N}]+/u).length > MAX_WORDS.inItem);

function isSafe(text: string): boolean {
  const plain = decoded(text);
  // Text that is encoded twice is not searched for secrets.
  return plain !== undefined && !ENCODED.test(plain) && !isPhrase(plain) && maskApiKeys(plain) === plain;
}

function shownPair(pair: string, declared: ReadonlySet<string>): string {
  const at = pair.indexOf('=');
  const name = decoded(at < 0 ? pair : pair.slice(0, at)) ?? '';
  const value = at < 0 ? '' : pair.slice(at + 1);
  if (!NAME.test(name)) return HIDDEN;
  const isShown = declared.has(name) && !SECRET_PARAMETERS.has(name) && isSafe(value);
  return `${name}=${isShown ? value : HIDDEN}`;
}

/** The path without the base path, with the values of `declared` parameters, and without keys and seed phrases. */
export function shownPath(url: string, basePath: string, declared: ReadonlySet<string>): string {
  const target = url.replace(ORIGIN, '/');
  const whole = target.startsWith(basePath) ? target.slice(basePath.length) : target;
  // The router also ends the path at `#`.
  const at = whole.search(/[?#]/);
  const path = at < 0 ? whole : whole.slice(0, at);
  const hideParts = () => path.split('/').map((one) => (isSafe(one) ? one : HIDDEN));
  const segments = isSafe(path) ? path : hideParts().join('/');
  if (at < 0 || at === whole.length - 1) return clipped(segments);
  // Further pairs would not be shown.
  const pairs = whole.slice(at + 1).split('&', BOUNDS.text);
  return clipped(`${segments}${whole[at]}${pairs.map((pair) => shownPair(pair, declared)).join('&')}`);
}

/** A node's message may quote the request: hides what may be a key, an address, a hash or a seed phrase. */
export const shownDetail = (detail: string): string =>
  clipped(maskApiKeys(detail).replace(LONG_WORD, HIDDEN).replace(PHRASE, HIDDEN));

/** A copy, because a part of a text would keep the whole text in memory. */
const clipped = (text: string): string =>
  Buffer.from(text.length <= BOUNDS.text ? text : `${text.slice(0, BOUNDS.text - 1)}${HIDDEN}`).toString();

/** Whether the console sent a request for itself. Any program can send this header, and hides only its own requests. */
const isOfConsole = ({ raw }: EndedRequest): boolean => raw.headers['quotient-console'] !== undefined;

/** Lists ended requests. A successful request of a user who does not read the log costs only a look-up. */
export const createRecorder = (
  recent: Pick<RecentRequests, 'isRecorded' | 'add'>,
  basePath: string,
): NonNullable<Gate['requestLog']> => ({
  note(request): void {
    const { user, keyId, config, route = '' } = request;
    if (user === undefined || keyId === undefined || !recent.isRecorded(user, request)) return;
    if (isOfConsole(request) || (config.isUnlisted && !isFailed(request))) return;
    const { at, method, raw, status, code, detail, cost, ms } = request;
    const { passesCalls, parameters = new Set<string>() } = config;
    // The name of a call that is passed on comes from a fixed list.
    const path = passesCalls ? route.slice(basePath.length) : shownPath(raw.url ?? '', basePath, parameters);
    const shown = detail === undefined ? undefined : shownDetail(detail);
    recent.add(user, { at, keyId, method, path, status, code, detail: shown, cost, ms });
  },
});
