import { invalid, QuotientError, refusePhrase, refuseSecretMembers } from '../error.ts';
import { VERSION } from '../generated/version.ts';
import type { Answer } from './answer.ts';

/** As the global `fetch`; replaceable for tests and proxies. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = Pick<CallOptions, 'headers'> & {
  /** An API key, sent in the header `X-API-KEY` to the base URL only. */
  apiKey?: string | undefined;
  /** The global one by default. */
  fetch?: Fetch | undefined;
  /** The time limit of a call in ms, retries included; 30,000 by default. */
  timeout?: number | undefined;
  /** How often a GET is retried at most; 2 by default. Waiting for the rate limit is not counted, but 0 rules it out. */
  retries?: number | undefined;
  /** Called for every answer, for logs and metrics. What it throws is reported as uncaught, and fails no call. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** The base URL without a trailing slash. In a browser it may be relative to the page. */
function readBaseUrl(text: unknown): string {
  const { location } = globalThis as { location?: { href: string } };
  if (typeof text !== 'string' && !(text instanceof URL)) throw invalid('the base URL is missing');
  let url: URL;
  try {
    url = new URL(text, location?.href);
  } catch {
    throw invalid('the base URL is not a URL');
  }
  if (!/^https?:$/.test(url.protocol)) throw invalid('the base URL must begin with http:// or https://');
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('the base URL must have no credentials, no query and no fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Throws for what no header can carry: the error of `fetch` repeats it. The error never does. */
export function checkKey(apiKey: unknown): void {
  if (apiKey === undefined) return;
  refusePhrase('the API key', apiKey);
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new QuotientError('api_key_invalid', 'the API key must be text of 1 to 200 visible ASCII characters');
  }
}

/** The options with their defaults. Throws `QuotientError`. */
export function readOptions(baseUrl: unknown, options: TransportOptions) {
  refuseSecretMembers('options', options);
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

/** The options of every call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time limit in ms, retries included, in place of the client's. */
  timeout?: number | undefined;
  /** How often a GET is retried at most, in place of the client's. */
  retries?: number | undefined;
  /** Further headers, such as `x-request-id`. */
  headers?: RequestInit['headers'] | undefined;
};

/** The client's own: a caller cannot set them. */
const OWN_HEADERS = ['accept', 'content-type', 'x-api-key'];

/** Throws `invalid_request` for anything but a finite number from `least`. */
export function checkNumber(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
  throw invalid(`${name} must be a number from ${least}`);
}

/** Headers by their names in lower case. Throws `invalid_request`; the error never repeats a value. */
export function readHeaders(given: CallOptions['headers']): Record<string, string> {
  if (given === undefined) return {};
  let headers: Record<string, string>;
  try {
    headers = Object.fromEntries(new Headers(given).entries());
  } catch {
    throw invalid('headers must be an object of valid names and values');
  }
  for (const name of OWN_HEADERS) {
    if (name in headers) throw invalid(`the header ${name} is set by the client itself`);
  }
  return headers;
}

/** Whatever behaves as a signal: one of another realm is of another class. */
function checkSignal(signal: AbortSignal): AbortSignal {
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function';
  if (isSignal && typeof removeEventListener === 'function') return signal;
  throw invalid('signal must be an AbortSignal');
}

/** Throws `invalid_request` for options that are none. */
export function readCallOptions(call: CallOptions | undefined) {
  if (call !== undefined && (typeof call !== 'object' || call === null)) {
    throw invalid('the options of a call must be an object');
  }
  const { signal, timeout, retries, headers } = call ?? {};
  return {
    signal: signal === undefined ? undefined : checkSignal(signal),
    timeout: timeout === undefined ? undefined : checkNumber('timeout', timeout, 1),
    retries: retries === undefined ? undefined : checkNumber('retries', retries, 0),
    headers: readHeaders(headers),
  };
}

type Globals = { process?: { versions?: { node?: unknown } }; document?: unknown };

/** `User-Agent` outside a browser; a browser has its own, and asks the service first for leave to send another. */
export function userAgent(globals: unknown = globalThis): { 'user-agent'?: string } {
  const { process, document } = globals as Globals;
  const node = process?.versions?.node;
  if (typeof node !== 'string' || document !== undefined) return {};
  return { 'user-agent': `quotient-client/${VERSION} node/${node}` };
}
