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
  /** The encoded path under the base URL. */
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

/** One call with its attempts. `facts` are those of the last attempt's response. */
type Call = {
  request: ClientRequest;
  url: string;
  init: RequestInit;
  deadline: Deadline;
  facts?: ReturnType<typeof factsOf> | undefined;
};

/** The checked options of a client. `note` is called before `onAnswer`. */
type Setting = ReturnType<typeof readOptions> & { note: ((answer: Answer) => void) | undefined };

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

function initOf({ method, body, accept, apiKey }: ClientRequest, headers: object): RequestInit {
  const content = body === undefined ? undefined : JSON.stringify(body);
  return {
    method,
    headers: {
      ...userAgent(),
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
}

function urlOf({ baseUrl }: Setting, { path, query = [] }: ClientRequest): string {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return `${baseUrl}${path}${search && `?${search}`}`;
}

function report({ note, onAnswer }: Setting, answer: Answer): void {
  note?.(answer);
  try {
    onAnswer?.(answer);
  } catch (error) {
    reportUncaught(error);
  }
}

/** Sends a request. Throws for a redirect. */
async function connect(setting: Setting, call: Call, signal: AbortSignal) {
  const { method, path, apiKey } = call.request;
  call.facts = undefined;
  // A browser's `fetch` throws if it is called as a method of another object.
  const send = setting.fetch ?? ((to: string, how: RequestInit) => fetch(to, how));
  const response = await send(call.url, { ...call.init, signal });
  call.facts = factsOf(response);
  const answer = describeAnswer(method, path, response);
  const mask = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text);
  const redirected = redirectError(response, mask);
  if (!redirected) return { response, answer, mask };
  response.body?.cancel().catch(() => undefined);
  report(setting, answer);
  throw redirected;
}

async function exchange(setting: Setting, call: Call): Promise<Received> {
  const { response, answer, mask } = await connect(setting, call, call.deadline.signal);
  const text = await response.text();
  report(setting, answer);
  if (response.ok) return { answer, headers: response.headers, text };
  throw (call.request.toError ?? problemOf)(response, mask(text));
}

async function exchangeHead(setting: Setting, call: Call, signal: AbortSignal): Promise<Response> {
  const { response, answer, mask } = await connect(setting, call, signal);
  report(setting, answer);
  if (response.ok) return response;
  throw problemOf(response, mask(await response.text()));
}

/** Throws `QuotientError`, or the reason of the caller's signal. */
async function withinDeadline<T>(call: Call, work: Promise<T>): Promise<T> {
  const { deadline } = call;
  try {
    return await Promise.race([work, deadline.over]);
  } catch (error) {
    if (deadline.isLate(error)) throw new QuotientError(error.code, error.detail, call.facts);
    deadline.check();
    if (error instanceof QuotientError) throw error;
    const { status, requestId } = call.facts ?? {};
    const facts = { cause: error, status, requestId };
    throw new QuotientError('network', 'no response was received, or the connection was lost', facts);
  }
}

/** Sends requests to one base URL. Calls `note` before `onAnswer`. Throws `QuotientError` for invalid options. */
export function createTransport(base: unknown, options: TransportOptions, note?: (answer: Answer) => void) {
  const setting: Setting = { ...readOptions(base, options), note };

  /** Checks a call, and starts its deadline. Throws `QuotientError`. */
  function begin(request: ClientRequest, callOptions?: CallOptions) {
    return readArguments(() => {
      const { signal, headers, timeout, retries } = readCallOptions(callOptions);
      checkKey(request.apiKey);
      const init = initOf(request, { ...setting.headers, ...headers });
      const url = urlOf(setting, request);
      const call: Call = { request, url, init, deadline: startDeadline(timeout ?? setting.timeout, signal) };
      return { call, signal, retries };
    });
  }

  return {
    timeout: setting.timeout,

    /**
     * Sends a request once, and returns its response without reading it. The deadline applies to the head. The signal
     * also ends the response. Rejects as `send` does.
     */
    async open(request: ClientRequest, options: CallOptions): Promise<Response> {
      const { call, signal } = begin(request, options);
      const own = new AbortController();
      signal?.addEventListener('abort', () => own.abort(signal.reason));
      try {
        call.deadline.check();
        return await withinDeadline(call, exchangeHead(setting, call, own.signal));
      } catch (error) {
        own.abort();
        throw error;
      } finally {
        call.deadline.clear();
      }
    },

    /**
     * Sends a request. Retries a GET after a transient failure, and any request after `rate_limited`. Retries wait for
     * `Retry-After` and respect the deadline. Rejects with `QuotientError`, or with the signal's reason.
     */
    async send(request: ClientRequest, options?: CallOptions): Promise<Received> {
      const { call, ...limits } = begin(request, options);
      const { deadline } = call;
      const retries = createRetries(request.method, limits.retries ?? request.retries ?? setting.retries);
      try {
        deadline.check();
        for (;;) {
          try {
            return await withinDeadline(call, exchange(setting, call));
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
