import { QuotientError, readArguments } from '../error.ts';
import { type Answer, describeAnswer, factsOf, problemOf } from './answer.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import {
  type CallOptions,
  checkKey,
  readCallOptions,
  readOptions,
  type TransportOptions,
  userAgent,
} from './options.ts';
import { createRetries } from './retries.ts';

export type ClientRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The encoded path below the base URL. */
  path: string;
  query?: readonly (readonly [string, string])[];
  body?: unknown;
  accept?: string;
  apiKey?: string | undefined;
  retries?: number | undefined;
  /** Returns the error for a non-2xx response; by default, the problem in its body. */
  toError?: (response: Response, text: string) => QuotientError;
};

type Received = { answer: Answer; headers: Headers; text: string };
type Sent = { url: string; init: RequestInit };
type Facts = ReturnType<typeof factsOf> | undefined;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Returns undefined if the response is not a redirect. Browsers hide the status and the target of a redirect. */
function redirectError(response: Response, mask: (text: string) => string): QuotientError | undefined {
  const isOpaque = response.type === 'opaqueredirect';
  if (!isOpaque && !REDIRECTS.has(response.status)) return undefined;
  const to = response.headers.get('location');
  return new QuotientError(
    'redirect',
    `the base URL redirects${to === null ? '' : ` to ${mask(to)}`}; use the final URL, because the client sends the key only to the base URL`,
    isOpaque ? {} : factsOf(response),
  );
}

/** Reports an error that a listener threw, as the platform reports uncaught errors. */
function reportUncaught(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else {
    setTimeout(() => {
      throw error;
    });
  }
}

/** Sends requests to one base URL. Calls `note` before `onAnswer`. Throws `QuotientError` for invalid options. */
export function createTransport(base: unknown, options: TransportOptions, note?: (answer: Answer) => void) {
  const { baseUrl, fetch: ownFetch, onAnswer, ...defaults } = readOptions(base, options);

  function prepare({ method, path, query = [], body, accept, apiKey }: ClientRequest, headers: object): Sent {
    checkKey(apiKey);
    const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
    const content = body === undefined ? undefined : JSON.stringify(body);
    const init: RequestInit = {
      method,
      headers: {
        ...userAgent(),
        ...defaults.headers,
        ...headers,
        accept: accept ?? 'application/json',
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(content !== undefined && { body: content }),
      // The service never redirects. The key must not be sent to other servers.
      redirect: 'manual',
      credentials: 'omit',
      // Requires revalidation (not charged). Otherwise, browsers could return data for a revoked key.
      cache: 'no-cache',
    };
    return { url: `${baseUrl}${path}${search && `?${search}`}`, init };
  }

  function report(answer: Answer): void {
    note?.(answer);
    try {
      onAnswer?.(answer);
    } catch (error) {
      reportUncaught(error);
    }
  }

  /** Sends a request. Throws for a redirect. `current` receives the facts of the response. */
  async function connect(request: ClientRequest, { url, init }: Sent, signal: AbortSignal, current: { facts: Facts }) {
    // A browser's `fetch` throws if it is called as a method of another object.
    const send = ownFetch ?? ((to: string, how: RequestInit) => fetch(to, how));
    const response = await send(url, { ...init, signal });
    current.facts = factsOf(response);
    const answer = describeAnswer(request.method, request.path, response);
    const { apiKey } = request;
    const mask = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text);
    const redirected = redirectError(response, mask);
    if (redirected) {
      response.body?.cancel().catch(() => undefined);
      report(answer);
      throw redirected;
    }
    return { response, answer, mask };
  }

  async function exchange(request: ClientRequest, sent: Sent, signal: AbortSignal, current: { facts: Facts }) {
    const { response, answer, mask } = await connect(request, sent, signal, current);
    const text = await response.text();
    report(answer);
    if (response.ok) return { answer, headers: response.headers, text };
    throw (request.toError ?? problemOf)(response, mask(text));
  }

  async function exchangeHead(request: ClientRequest, sent: Sent, signal: AbortSignal, current: { facts: Facts }) {
    const { response, answer, mask } = await connect(request, sent, signal, current);
    report(answer);
    if (response.ok) return response;
    throw problemOf(response, mask(await response.text()));
  }

  type Exchange<T> = (request: ClientRequest, sent: Sent, signal: AbortSignal, current: { facts: Facts }) => Promise<T>;

  /** Throws `QuotientError`, or the reason of the caller's signal. */
  async function attempt<T>(
    request: ClientRequest,
    sent: Sent,
    deadline: Deadline,
    make: Exchange<T>,
    signal = deadline.signal,
  ): Promise<T> {
    const current: { facts: Facts } = { facts: undefined };
    try {
      return await Promise.race([make(request, sent, signal, current), deadline.over]);
    } catch (error) {
      if (deadline.isLate(error)) throw new QuotientError(error.code, error.detail, current.facts);
      deadline.check();
      if (error instanceof QuotientError) throw error;
      const { status, requestId } = current.facts ?? {};
      throw new QuotientError('network', 'no response was received, or the connection was lost', {
        cause: error,
        status,
        requestId,
      });
    }
  }

  /** Checks a call, and starts its deadline. Throws `QuotientError`. */
  function begin(request: ClientRequest, call?: CallOptions) {
    return readArguments(() => {
      const { signal, headers, timeout, retries } = readCallOptions(call);
      const sent = prepare(request, headers);
      return { sent, signal, retries, deadline: startDeadline(timeout ?? defaults.timeout, signal) };
    });
  }

  return {
    timeout: defaults.timeout,

    /**
     * Sends a request once, and returns its response without reading it. The deadline applies to the head. The signal
     * also ends the response. Rejects as `send` does.
     */
    async open(request: ClientRequest, call: CallOptions): Promise<Response> {
      const { sent, signal, deadline } = begin(request, call);
      const own = new AbortController();
      const stop = () => own.abort(signal?.reason);
      signal?.addEventListener('abort', stop);
      try {
        deadline.check();
        return await attempt(request, sent, deadline, exchangeHead, own.signal);
      } catch (error) {
        own.abort();
        throw error;
      } finally {
        deadline.clear();
      }
    },

    /**
     * Sends a request. Retries a GET after a transient failure, and any request after `rate_limited`. Retries wait for
     * `Retry-After` and respect the deadline. Rejects with `QuotientError`, or with the signal's reason.
     */
    async send(request: ClientRequest, call?: CallOptions): Promise<Received> {
      const { sent, deadline, ...limits } = begin(request, call);
      const retries = createRetries(request.method, limits.retries ?? request.retries ?? defaults.retries);
      try {
        deadline.check();
        for (;;) {
          try {
            return await attempt(request, sent, deadline, exchange);
          } catch (error) {
            if (!(error instanceof QuotientError) || deadline.signal.aborted) throw error;
            const pause = retries.pauseAfter(error, deadline.left());
            if (pause === undefined) throw error;
            await deadline.sleep(pause);
          }
        }
      } finally {
        deadline.clear();
      }
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;
