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
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL, encoded. */
  path: string;
  query?: readonly (readonly [string, string])[];
  /** Sent as JSON. */
  body?: unknown;
  accept?: string;
  apiKey?: string | undefined;
  retries?: number | undefined;
  /** The error for a response outside 2xx; by default the problem in its body. */
  toError?: (response: Response, text: string) => QuotientError;
};

type Answered = { answer: Answer; headers: Headers; text: string };
type Sent = { url: string; init: RequestInit };
type Facts = ReturnType<typeof factsOf> | undefined;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A browser hides the target and the status of a redirect. */
function redirectError(response: Response, mask: (text: string) => string): QuotientError | undefined {
  const isOpaque = response.type === 'opaqueredirect';
  if (!isOpaque && !REDIRECTS.has(response.status)) return undefined;
  const to = response.headers.get('location');
  return new QuotientError(
    'redirect',
    `the base URL leads elsewhere${to === null ? '' : `: ${mask(to)}`}; the key is sent nowhere else`,
    isOpaque ? {} : factsOf(response),
  );
}

/** Reports an error of a listener as the platform does. */
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
      // The service never redirects, and the key must not leave it.
      redirect: 'manual',
      credentials: 'omit',
      // Browsers revalidate, free of charge. Otherwise they serve an old allowance, and data for a revoked key.
      cache: 'no-cache',
    };
    return { url: `${baseUrl}${path}${search && `?${search}`}`, init };
  }

  function announce(answer: Answer): void {
    note?.(answer);
    try {
      onAnswer?.(answer);
    } catch (error) {
      reportUncaught(error);
    }
  }

  async function exchange(request: ClientRequest, { url, init }: Sent, signal: AbortSignal, current: { facts: Facts }) {
    // Not called as a method: a browser's `fetch` accepts no other `this`.
    const send = ownFetch ?? ((to: string, how: RequestInit) => fetch(to, how));
    const response = await send(url, { ...init, signal });
    current.facts = factsOf(response);
    const answer = describeAnswer(request.method, request.path, response);
    const { apiKey } = request;
    const mask = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text);
    const redirected = redirectError(response, mask);
    if (redirected) {
      response.body?.cancel().catch(() => undefined);
      announce(answer);
      throw redirected;
    }
    const text = await response.text();
    announce(answer);
    if (response.ok) return { answer, headers: response.headers, text };
    throw (request.toError ?? problemOf)(response, mask(text));
  }

  /** Throws `QuotientError`, or the reason of the caller's signal. */
  async function attempt(request: ClientRequest, sent: Sent, deadline: Deadline): Promise<Answered> {
    const current: { facts: Facts } = { facts: undefined };
    try {
      return await Promise.race([exchange(request, sent, deadline.signal, current), deadline.over]);
    } catch (error) {
      if (deadline.isLate(error)) throw new QuotientError(error.code, error.detail, current.facts);
      deadline.check();
      if (error instanceof QuotientError) throw error;
      const { status, requestId } = current.facts ?? {};
      throw new QuotientError('network', 'no answer, or the connection broke', { cause: error, status, requestId });
    }
  }

  return {
    /** The time limit of a call in ms. */
    timeout: defaults.timeout,

    /**
     * Sends a request. Retries a GET after a transient failure, and any request after a rate limit: not before
     * `Retry-After`, and within the deadline. Rejects with `QuotientError`, or with the signal's reason.
     */
    async ask(request: ClientRequest, call?: CallOptions): Promise<Answered> {
      const { signal, headers, ...asked } = readArguments(() => readCallOptions(call));
      const sent = readArguments(() => prepare(request, headers));
      const deadline = startDeadline(asked.timeout ?? defaults.timeout, signal);
      const retries = createRetries(request.method, asked.retries ?? request.retries ?? defaults.retries);
      try {
        deadline.check();
        for (;;) {
          try {
            return await attempt(request, sent, deadline);
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
