import { type Answer, describeAnswer, problemOf } from './answer.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { QuotientError } from './error.ts';
import { refuseSecretMembers } from './secrets.ts';

/** As the global one: given an own one, a test or a proxy can step in. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type TransportOptions = {
  /** An API key: it is sent in the header `X-API-KEY`, to the base URL and nowhere else. */
  apiKey?: string | undefined;
  /** The global one where left out. */
  fetch?: Fetch | undefined;
  /** How long a call may take, waits and repeats included: 30,000 ms where left out. */
  timeoutMs?: number | undefined;
  /** How often a call that may safely be repeated is, at the most: 2 where left out. */
  retries?: number | undefined;
  /** Is told of every answer, for a log or a metric. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

export type Question = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, encoded. */
  path: string;
  query?: readonly (readonly [string, string])[];
  /** Sent as JSON. */
  body?: unknown;
  accept?: string;
  /** Whether the key goes along. */
  withKey: boolean;
  retries?: number | undefined;
  signal?: AbortSignal | undefined;
  /** What an answer outside 2xx is thrown as: the problem that it tells of, where left out. */
  toError?: (response: Response, text: string) => QuotientError;
};

export type Answered = { answer: Answer; headers: Headers; text: string };

/** What a repeat may be of use against. */
const PASSING = new Set([429, 502, 503, 504]);
/** Told under the same statuses, and not over in a moment. */
const LASTING = new Set(['quota_exceeded', 'node_not_configured']);
/** The longest pause before the second attempt, where nothing else is said; it doubles with each. */
const FIRST_PAUSE_MS = 200;

/** Whether a repeat may succeed, for what may be repeated. */
export function mayPass({ code, status }: QuotientError): boolean {
  return code === 'network' || (PASSING.has(status ?? 0) && !LASTING.has(code));
}

/** The base URL without a slash at its end. In a browser it may be relative to the page. */
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

/** Carries questions to one base URL, with one key. Throws `TypeError` for options that cannot be. */
export function createTransport(base: string, options: TransportOptions) {
  refuseSecretMembers('options', options);
  const { apiKey, onAnswer } = options;
  const baseUrl = parseBaseUrl(base);
  const timeoutMs = amount('timeoutMs', options.timeoutMs ?? 30_000, 1);
  const allowedRetries = amount('retries', options.retries ?? 2, 0);
  // A header that cannot be sent is repeated in the error of `fetch`: such a key must never get there.
  if (apiKey !== undefined && !/^[\x21-\x7e]{1,200}$/.test(apiKey)) {
    throw new TypeError('the API key has characters that no key has');
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
      // To another place the key must not go, and no path of the service redirects.
      redirect: 'error',
      credentials: 'omit',
      // A browser asks whether what it has is still the answer, which is free of charge: without that it would tell
      // of an allowance as it was, and go on for a key that is dead.
      cache: 'no-cache',
      signal,
    };
    // Not as a member of anything: a browser's `fetch` wants no `this` but its own.
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
        throw new QuotientError('network', 'there is no answer, or it broke off', { cause });
      },
    );
    const answer = describeAnswer(question.method, question.path, response);
    onAnswer?.(answer);
    if (!response.ok) throw (question.toError ?? problemOf)(response, masked(text));
    return { answer, headers: response.headers, text };
  }

  return {
    /**
     * Asks, and again where that is safe and may help: a GET after a failure of the network, 429 `rate_limited`,
     * 502, 503 or 504, no earlier than `Retry-After` says, and not at all when there is no time left for it.
     */
    async ask(question: Question): Promise<Answered> {
      const deadline = startDeadline(timeoutMs, question.signal);
      const retries = question.method === 'GET' ? (question.retries ?? allowedRetries) : 0;
      try {
        for (let made = 0; ; made += 1) {
          try {
            return await attempt(question, deadline);
          } catch (error) {
            if (!(error instanceof QuotientError) || made >= retries || !mayPass(error)) throw error;
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
