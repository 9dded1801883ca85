import { invalid, QuotientError, rejectPhrase, rejectSecretMembers } from '../error.ts';
import { VERSION } from '../generated/version.ts';
import type { Answer } from './answer.ts';

/** Replaces the global `fetch`, for tests and proxies. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = Pick<CallOptions, 'headers'> & {
  /** The API key, sent in the header `X-API-KEY` to the base URL only. */
  apiKey?: string | undefined;
  /** The implementation of `fetch`; the global one by default. */
  fetch?: Fetch | undefined;
  /** The time limit of a call in ms, retries included; 30,000 by default. */
  timeout?: number | undefined;
  /** The maximum number of retries of a GET; 2 by default. 0 also disables retries after `rate_limited`. */
  retries?: number | undefined;
  /** Called for every response, for logs and metrics. Errors that it throws are reported as uncaught. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** Returns the base URL without a trailing slash. In a browser, the base URL may be relative to the page. */
export function readBaseUrl(text: unknown): string {
  const { location } = globalThis as { location?: { href: string } };
  if (typeof text !== 'string' && !(text instanceof URL))
    throw invalid('the base URL is missing; use a URL like https://example.org');
  let url: URL;
  try {
    url = new URL(text, location?.href);
  } catch {
    throw invalid('the base URL is invalid; use a URL like https://example.org');
  }
  if (!/^https?:$/.test(url.protocol)) throw invalid('the base URL must start with http:// or https://');
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('the base URL must not have credentials, a query or a fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const URL_KEY = /\/k\/(qu_[0-9A-Za-z]{38})(?=\/|$)/;

/**
 * Takes a URL key out of a base URL. The client sends it in a header, because URLs are stored in more places. Throws
 * `invalid_request` if there is another key.
 */
export function takeUrlKey(baseUrl: unknown, apiKey: string | undefined) {
  const text = baseUrl instanceof URL ? baseUrl.href : baseUrl;
  const [, inUrl] = (typeof text === 'string' && URL_KEY.exec(text)) || [];
  if (typeof text !== 'string' || inUrl === undefined) return { baseUrl, apiKey };
  if (apiKey !== undefined && apiKey !== inUrl)
    throw invalid('the base URL and apiKey must not contain different keys');
  return { baseUrl: text.replace(URL_KEY, ''), apiKey: inUrl };
}

/** Rejects a key that is not valid as a header value, because `fetch` would include the key in its error. */
export function checkKey(apiKey: unknown): void {
  if (apiKey === undefined) return;
  rejectPhrase('the API key', apiKey);
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new QuotientError('api_key_invalid', 'the API key must have 1 to 200 visible ASCII characters');
  }
}

export function readOptions(baseUrl: unknown, options: TransportOptions) {
  rejectSecretMembers('options', options);
  checkKey(options.apiKey);
  const { fetch, timeout = 30_000, retries = 2, onAnswer, headers } = options;
  if (fetch !== undefined && typeof fetch !== 'function') throw invalid('fetch must be a function');
  if (onAnswer !== undefined && typeof onAnswer !== 'function') throw invalid('onAnswer must be a function');
  return {
    baseUrl: readBaseUrl(baseUrl),
    fetch,
    onAnswer,
    timeout: checkNumber('timeout', timeout, 1),
    retries: checkNumber('retries', retries, 0),
    headers: readHeaders(headers),
  };
}

export type CallOptions = {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time limit in ms, retries included; overrides the client's option. */
  timeout?: number | undefined;
  /** The maximum number of retries of a GET; overrides the client's option. */
  retries?: number | undefined;
  /** Further headers, such as `x-request-id`. */
  headers?: RequestInit['headers'] | undefined;
};

/** Headers that only the client sets. */
const OWN_HEADERS = ['accept', 'content-type', 'x-api-key'];

/** Throws `invalid_request` unless the value is a finite number of at least `min`. */
function checkNumber(name: string, value: unknown, min: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= min) return value;
  throw invalid(`${name} must be a number of at least ${min}`);
}

function readHeaders(given: CallOptions['headers']): Record<string, string> {
  if (given === undefined) return {};
  let headers: Record<string, string>;
  try {
    headers = Object.fromEntries(new Headers(given).entries());
  } catch {
    throw invalid('headers must contain only valid names and values');
  }
  for (const name of OWN_HEADERS) {
    if (name in headers) throw invalid(`headers must not contain ${name}, because the client sets this header`);
  }
  return headers;
}

/** Checks the members, not the class, because a signal from another realm has another class. */
function checkSignal(signal: AbortSignal): AbortSignal {
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function';
  if (isSignal && typeof removeEventListener === 'function') return signal;
  throw invalid('signal must be an AbortSignal');
}

export function readCallOptions(call: CallOptions | undefined) {
  if (call !== undefined && (typeof call !== 'object' || call === null)) {
    throw invalid('the call options must be an object');
  }
  const { signal, timeout, retries, headers } = call ?? {};
  return {
    signal: signal === undefined ? undefined : checkSignal(signal),
    timeout: timeout === undefined ? undefined : checkNumber('timeout', timeout, 1),
    retries: retries === undefined ? undefined : checkNumber('retries', retries, 0),
    headers: readHeaders(headers),
  };
}

/** Returns no header in a browser, where a custom `User-Agent` would require a CORS preflight. */
export function userAgent(globals: unknown = globalThis): { 'user-agent'?: string } {
  const { process, document } = globals as { process?: { versions?: { node?: unknown } }; document?: unknown };
  const node = process?.versions?.node;
  if (typeof node !== 'string' || document !== undefined) return {};
  return { 'user-agent': `quotient-client/${VERSION} node/${node}` };
}
