import { invalid, QuotientError } from '../core/error.ts';
import { refusePhrase, refuseSecretMembers } from '../core/secrets.ts';
import type { Answer } from './answer.ts';
import { type CallOptions, checkNumber, readHeaders } from './call-options.ts';

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
    throw new QuotientError(
      'api_key_invalid',
      'the API key must be text of 1 to 200 visible ASCII characters',
    );
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
