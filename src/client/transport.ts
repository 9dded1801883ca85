import { type Answer, describeAnswer, problemOf } from './answer.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { QuotientError } from './error.ts';
import { refuseSecretMembers } from './secrets.ts';

/** As the global `fetch`; replaceable for tests and proxies. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = {
  /** An API key, sent in the header `X-API-KEY` to the base URL only. */
  apiKey?: string | undefined;
  /** The global one by default. */
  fetch?: Fetch | undefined;
  /** The time limit of a call in ms, retries included; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** How often a GET is retried at most; 2 by default. */
  retries?: number | undefined;
  /** Called for every answer, for logs and metrics. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

export type Question = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL, encoded. */
  path: string;
  query?: readonly (readonly [string, string])[];
  /** Sent as JSON. */
  body?: unknown;
  accept?: string;
  /** Whether the key is sent. */
  withKey: boolean;
  retries?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The error for an answer outside 2xx; its problem by default. */
  toError?: (response: Response, text: string) => QuotientError;
};

export type Answered = { answer: Answer; headers: Headers; text: string };

/** Statuses that a retry may help against. */
const TRANSIENT = new Set([429, 502, 503, 504]);
/** Codes of the same statuses that a retry does not help against. */
const LASTING = new Set(['quota_exceeded', 'node_not_configured']);
/** The longest pause before the first retry without `Retry-After`; it doubles with each. */
const FIRST_PAUSE_MS = 200;

/** Whether a retry may succeed. */
export function isTransient({ code, status }: QuotientError): boolean {
  return code === 'network' || (TRANSIENT.has(status ?? 0) && !LASTING.has(code));
}

/** The base URL without a trailing slash. In a browser it may be relative to the page. */
function parseBaseUrl(text: string): string {
  const { location } = globalThis as { location?: { href: string } };
  let url: URL;
  try {
    url = new URL(text, location?.href);
  } catch {
    throw new TypeError('the base URL is not a URL');
  }
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError('the base URL must begin with http:// or https://');
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('the base URL must have no credentials, no query and no fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function amount(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new TypeError(`${name} must be a number from ${least}`);
}

/** Sends requests to one base URL, with one key. Throws `TypeError` for invalid options. */
export function createTransport(base: string, options: TransportOptions) {
  refuseSecretMembers('options', options);
  const { apiKey, onAnswer } = options;
  const baseUrl = parseBaseUrl(base);
  const timeoutMs = amount('timeoutMs', options.timeoutMs ?? 30_000, 1);
  const allowedRetries = amount('retries', options.retries ?? 2, 0);
  // The error of `fetch` repeats an invalid header, so such a key must never get there.
  if (apiKey !== undefined && !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new TypeError('the API key has invalid characters');
  }
  const masked = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text);

  async function exchange(question: Question, signal: AbortSignal) {
    const { method, path, query = [], body, accept = 'application/json', withKey } = question;
    const search = new URLSearchParams(
      query.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const init: RequestInit = {
      method,
      headers: {
        accept,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(withKey && apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not be sent elsewhere, and the service never redirects.
      redirect: 'error',
      credentials: 'omit',
      // Browsers revalidate, which is free. Otherwise they would show an old allowance, and data for a dead key.
      cache: 'no-cache',
      signal,
    };
    // Not as a method: a browser's `fetch` accepts no other `this`.
    const send = options.fetch ?? ((url: string, how: RequestInit) => fetch(url, how));
    const response = await send(`${baseUrl}${path}${search && `?${search}`}`, init);
    return { response, text: await response.text() };
  }

  /** One attempt. Throws `QuotientError`, or the reason of the caller's signal. */
  async function attempt(question: Question, { signal, over, check }: Deadline): Promise<Answered> {
    check();
    const { response, text } = await Promise.race([exchange(question, signal), over]).catch(
      (cause: unknown) => {
        check();
        throw new QuotientError('network', 'no answer, or the connection broke', { cause });
      },
    );
    const answer = describeAnswer(question.method, question.path, response);
    onAnswer?.(answer);
    if (!response.ok) throw (question.toError ?? problemOf)(response, masked(text));
    return { answer, headers: response.headers, text };
  }

  return {
    /**
     * Sends a request. A GET is retried after a network error, 429 `rate_limited`, 502, 503 and 504, not before
     * `Retry-After`, and only within the deadline.
     */
    async ask(question: Question): Promise<Answered> {
      const deadline = startDeadline(timeoutMs, question.signal);
      const retries = question.method === 'GET' ? (question.retries ?? allowedRetries) : 0;
      try {
        for (let made = 0; ; made += 1) {
          try {
            return await attempt(question, deadline);
          } catch (error) {
            if (!(error instanceof QuotientError) || made >= retries || !isTransient(error)) throw error;
            const pause = FIRST_PAUSE_MS * 2 ** made * Math.random();
            const wait = error.retryAfter === undefined ? pause : error.retryAfter * 1000;
            if (wait >= deadline.left()) throw error;
            await deadline.sleep(wait);
          }
        }
      } finally {
        deadline.clear();
      }
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;
