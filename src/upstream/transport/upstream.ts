import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, SECOND, secondsInWords } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { startDeadline } from './deadline.ts';
import { failureOf, type HttpResponse, openHttpClient, type VerbatimTarget } from './http-client.ts';
import { isRedirect, redirectTarget } from './redirects.ts';
import { ACCEPTED_CODINGS, discardBody, readResponse, type UpstreamResponse } from './response-body.ts';
import { createTargets, type UpstreamRequest } from './upstream-request.ts';

/** How often an idempotent call is retried, and the maximum delay before the first retry (ms), which doubles. */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
const RETRIED: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);
const MAX_BYTES = 64 * 1024;
/** The maximum number of concurrent connections. Further calls wait. */
const CONNECTIONS = 8;
/** On any budget, a failing upstream is probed at least this often, in ms. */
const MAX_SPACING = 6 * HOUR;
/** Failures that pause a path or the whole upstream. */
const UNAVAILABLE: ReadonlySet<FailureCause> = new Set([
  'unreachable',
  'timeout',
  'server_error',
  'not_json',
  'too_large',
]);

/** The status with which an upstream reports that it is unavailable as a whole (RFC 9110, 15.6.4). */
const UNAVAILABLE_STATUS = 503;
const circuitOf = ({ circuit, path }: UpstreamRequest): string => circuit ?? path;

export type { UpstreamRequest, UpstreamResponse };

export type UpstreamOptions = {
  name: string;
  url: string;
  headers?: Record<string, string>;
  /** The deadline for connection, headers, body and retries together. */
  timeoutMs: number;
  clock: Clock;
  /** Takes one call from the budget. Returns false if no call is left. */
  reserve: () => Promise<boolean>;
  /** The time in ms between calls that the budget allows. A circuit breaker's probe uses one call. */
  callSpacing: () => number;
  observe: (outcome: FailureCause | 'ok') => void;
  /** The circuit breaker; given if its state is also read elsewhere. */
  breaker?: Breaker;
  /** The number of connections; higher if callers, not the service, determine the number of calls. */
  connections?: number;
};

/** The options of an upstream that is a source of data. */
export type SourceOptions = Omit<UpstreamOptions, 'name' | 'headers' | 'connections'>;

type Sent = { body?: string | Buffer | undefined; headers?: Record<string, string> };

/**
 * One upstream over HTTP with its connections, deadline, retries, breaker and budget. A redirect on its host is followed
 * once.
 */
export function openUpstream(options: UpstreamOptions) {
  const { name, headers = {}, timeoutMs, clock, reserve, callSpacing, observe } = options;
  const targetOf = createTargets(options.url);
  const { breaker = createBreaker(), connections = CONNECTIONS } = options;
  const client = openHttpClient({
    connections,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  const overBudget = () =>
    new UpstreamFailure(name, 'over_budget', 'the call budget for this minute or month is spent', {
      retryAfter: 60,
      sent: false,
    });

  /** Follows one redirect on the same host. The request to its target is another call of the budget. */
  async function respond(
    target: string | VerbatimTarget,
    { body, headers: more }: Sent,
    signal: AbortSignal,
    isSecond = false,
  ): Promise<HttpResponse> {
    const response = await client.request(target, {
      signal,
      ...(body !== undefined && { method: 'POST', body }),
      headers: {
        accept: 'application/json',
        'accept-encoding': ACCEPTED_CODINGS,
        'user-agent': 'quotient',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...more,
      },
    });
    const { statusCode: status } = response;
    annotate({ 'http.response.status_code': status });
    if (!isRedirect(status)) return response;
    discardBody(response);
    const { location } = response.headers;
    const isPost = body !== undefined;
    const from = typeof target === 'string' ? target : target.origin + target.path;
    const next = redirectTarget(name, { status, location, from, isPost, isSecond });
    if (!(await reserve())) throw overBudget();
    return respond(next, { body, ...(more && { headers: more }) }, signal, true);
  }

  async function exchange(
    request: UpstreamRequest,
    signal: AbortSignal,
    responded: (status: number) => void,
  ): Promise<UpstreamResponse> {
    const { body, verbatim, maxBytes = MAX_BYTES } = request;
    const sent = verbatim ?? { body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await respond(targetOf(request), sent, signal);
    responded(response.statusCode);
    return readResponse(name, response, maxBytes);
  }

  function recordFailure(failure: UpstreamFailure, request: UpstreamRequest, status: number | undefined): void {
    const { reason, retryAfter } = failure;
    const now = clock.elapsed();
    const path = circuitOf(request);
    // If the header of the response has arrived, the connection works, and a damaged body concerns only its path.
    const isOfConnection = reason === 'unreachable' && status === undefined;
    const isOfSource = isOfConnection || !failure.sent || status === UNAVAILABLE_STATUS || failure.isOfSource;
    if (request.ownFailures?.has(reason)) breaker.cancelled(path);
    else if (reason === 'rate_limited' || (isOfSource && retryAfter)) {
      breaker.rateLimited(now, retryAfter === undefined ? undefined : retryAfter * SECOND);
    } else if (UNAVAILABLE.has(reason)) {
      breaker.failed(now, path, { spacing: Math.min(MAX_SPACING, callSpacing()), isOfSource });
    } else breaker.succeeded(now, path);
  }

  /** Throws `resting` (open circuit) or `over_budget` if no call may be made. */
  async function reserveCall(path: string): Promise<void> {
    const waitMs = breaker.request(clock.elapsed(), path);
    if (waitMs > 0) {
      throw new UpstreamFailure(name, 'resting', `the circuit is open for another ${secondsInWords(waitMs)}`, {
        retryAfter: waitMs / SECOND,
        sent: false,
      });
    }
    try {
      if (await reserve()) return;
    } catch (error) {
      breaker.cancelled(path);
      throw error;
    }
    breaker.cancelled(path);
    throw overBudget();
  }

  async function once<T>(
    request: UpstreamRequest,
    signal: AbortSignal,
    read: (response: UpstreamResponse) => T | Promise<T>,
  ): Promise<T> {
    await reserveCall(circuitOf(request));
    let status: number | undefined;
    try {
      const response = await exchange(request, signal, (received) => {
        status = received;
      });
      const value = await read(response);
      breaker.succeeded(clock.elapsed(), circuitOf(request));
      observe('ok');
      return value;
    } catch (error) {
      if (request.signal?.aborted) {
        breaker.cancelled(circuitOf(request));
        throw request.signal.reason;
      }
      const failure = failureOf(name, error);
      recordFailure(failure, request, status);
      observe(failure.reason);
      throw failure;
    }
  }

  const backoff = (attempt: number) => Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;

  async function send<T>(
    request: UpstreamRequest,
    read: (response: UpstreamResponse) => T | Promise<T>,
    retries: number,
  ): Promise<T> {
    const method = (request.body ?? request.verbatim?.body) === undefined ? 'GET' : 'POST';
    const { signal: deadline, end } = startDeadline(Math.min(timeoutMs, request.withinMs ?? timeoutMs), request.signal);
    try {
      return await attempts(request, method, deadline, read, retries);
    } finally {
      end();
    }
  }

  async function attempts<T>(
    request: UpstreamRequest,
    method: string,
    deadline: AbortSignal,
    read: (response: UpstreamResponse) => T | Promise<T>,
    retries: number,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        const attributes = {
          'http.request.method': method,
          'quotient.source': name,
          ...(attempt > 0 && { 'http.request.resend_count': attempt }),
        };
        return await traced(`${method} ${name}`, attributes, () => once(request, deadline, read), 'client');
      } catch (error) {
        const isRetried = error instanceof UpstreamFailure && RETRIED.has(error.reason);
        if (!isRetried || attempt === retries) throw error;
      }
      await wait(backoff(attempt), undefined, { signal: deadline }).catch(() => {
        throw request.signal?.aborted ? request.signal.reason : failureOf(name, deadline.reason);
      });
    }
  }

  return {
    name,
    /** For idempotent calls only: retries broken connections and 5xx. Throws `UpstreamFailure` and errors of `read`. */
    send: <T>(request: UpstreamRequest, read: (response: UpstreamResponse) => T): Promise<T> =>
      send(request, read, RETRIES),

    /** Calls without retries. The failure's `sent` states whether the request may have been sent. */
    sendOnce: <T>(request: UpstreamRequest, read: (response: UpstreamResponse) => T | Promise<T>): Promise<T> =>
      send(request, read, 0),

    close: client.close,
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
