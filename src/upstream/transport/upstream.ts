import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, SECOND, secondsInWords, systemClock } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import {
  failureOf,
  type HttpResponse,
  openHttpClient,
  type ResponseHead,
  type Target,
  targetOf,
} from './http-client.ts';
import { isRedirect, redirectTarget } from './redirects.ts';
import { ACCEPTED_CODINGS, codingsOf, readResponse } from './response-body.ts';
import { createTargets, type UpstreamRequest } from './upstream-request.ts';

/** How often an idempotent call is retried, and the maximum delay before the first retry (ms), which doubles. */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
const RETRIED: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);
const MAX_BYTES = 64 * 1024;
/** The maximum number of concurrent connections. Further calls wait. */
const CONNECTIONS = 8;
/** The longest time between probes of a failing upstream on any budget, in ms. */
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

export type { HttpResponse as UpstreamResponse, UpstreamRequest };

export type UpstreamOptions = {
  name: string;
  url: string;
  headers?: Record<string, string>;
  /** The deadline for connection, headers, body and retries together. */
  timeoutMs: number;
  clock: Clock;
  /** Takes one call from the budget. Returns false if no call is left. Undefined if the number of calls is not limited. */
  reserve?: () => Promise<boolean>;
  /** The time in ms between calls that the budget allows. A circuit breaker's probe uses one call. */
  callSpacing: () => number;
  observe: (outcome: FailureCause | 'ok') => void;
  /** The circuit breaker. It is passed in if its state is also read elsewhere. */
  breaker?: Breaker;
  /** The number of connections. It is higher if callers, not the service, determine the number of calls. */
  connections?: number;
};

export type SourceOptions = Omit<UpstreamOptions, 'name' | 'headers' | 'connections'>;

/** A request, and the end of its deadline in monotonic ms. */
type Sending = Pick<Parameters<ReturnType<typeof openHttpClient>['request']>[1], 'accept' | 'body' | 'signal'> & {
  headers?: Record<string, string> | undefined;
  until: number;
};

type Read<T> = (response: HttpResponse) => T | Promise<T>;

/** One upstream over HTTP with its connections, deadline, retries, breaker and budget. */
export function openUpstream(options: UpstreamOptions) {
  const { name, headers = {}, timeoutMs, clock, reserve, callSpacing, observe } = options;
  const { targetIn, endpoint } = createTargets(options.url);
  const { breaker = createBreaker(), connections = CONNECTIONS } = options;
  const client = openHttpClient({ connections, connect: { timeout: timeoutMs } });
  const common = { accept: 'application/json', 'accept-encoding': ACCEPTED_CODINGS, 'user-agent': 'quotient' };
  const ofGet = { ...common, ...headers };
  const ofPost = { ...common, 'content-type': 'application/json', ...headers };

  const overBudget = () =>
    new UpstreamFailure(name, 'over_budget', 'the call budget for this minute or month is spent', {
      retryAfter: 60,
      sent: false,
    });

  /** Follows one redirect on the same host. The request to its target is another call of the budget. */
  async function respond(target: Target, sending: Sending, isSecond = false): Promise<HttpResponse> {
    const { until, headers: more, body, accept, signal } = sending;
    const isPost = body !== undefined;
    const own = isPost ? ofPost : ofGet;
    const response = await client.request(target, {
      method: isPost ? 'POST' : 'GET',
      headers: more ? { ...own, ...more } : own,
      body,
      withinMs: until - systemClock.elapsed(),
      signal,
      accept,
    });
    const { status } = response;
    if (!isRedirect(status)) return response;
    const { location } = response.headers;
    const from = target.origin + target.path;
    const next = redirectTarget(name, { status, location, from, isPost, isSecond });
    if (reserve && !(await reserve())) throw overBudget();
    return respond(targetOf(next), sending, true);
  }

  function recordFailure(failure: UpstreamFailure, request: UpstreamRequest, status: number | undefined): void {
    const { reason, retryAfter } = failure;
    const now = clock.elapsed();
    const path = circuitOf(request);
    // Once the header has arrived, the connection works, and a damaged body is a failure of its path only.
    const isOfConnection = reason === 'unreachable' && status === undefined;
    const isOfSource = isOfConnection || !failure.sent || status === UNAVAILABLE_STATUS || failure.isOfSource;
    if (request.ownFailures?.has(reason)) breaker.cancelled(path);
    else if (reason === 'rate_limited' || (isOfSource && retryAfter)) {
      breaker.rateLimited(now, retryAfter === undefined ? undefined : retryAfter * SECOND);
    } else if (UNAVAILABLE.has(reason)) {
      breaker.failed(now, path, { spacing: Math.min(MAX_SPACING, callSpacing()), isOfSource });
    } else breaker.succeeded(now, path);
  }

  /** Throws `resting` if the circuit is open. */
  function enterCircuit(path: string): void {
    const waitMs = breaker.request(clock.elapsed(), path);
    if (waitMs > 0) {
      throw new UpstreamFailure(name, 'resting', `the circuit is open for another ${secondsInWords(waitMs)}`, {
        retryAfter: waitMs / SECOND,
        sent: false,
      });
    }
  }

  /** Throws `over_budget` if no call is left. */
  async function spend(path: string, take: () => Promise<boolean>): Promise<void> {
    try {
      if (await take()) return;
    } catch (error) {
      breaker.cancelled(path);
      throw error;
    }
    breaker.cancelled(path);
    throw overBudget();
  }

  async function once<T>(request: UpstreamRequest, until: number, read: Read<T>): Promise<T> {
    const circuit = circuitOf(request);
    enterCircuit(circuit);
    if (reserve) await spend(circuit, reserve);
    const { body, verbatim, signal, maxBytes = MAX_BYTES } = request;
    let status: number | undefined;
    const accept = (head: ResponseHead): number => {
      if (isRedirect(head.status)) return 0;
      status = head.status;
      codingsOf(name, head.headers);
      return maxBytes;
    };
    try {
      const sent = verbatim || body === undefined ? verbatim?.body : JSON.stringify(body);
      const sending = { accept, until, signal, body: sent, headers: verbatim?.headers };
      const response = await readResponse(name, await respond(targetIn(request), sending), maxBytes);
      const value = await read(response);
      breaker.succeeded(clock.elapsed(), circuit);
      observe('ok');
      return value;
    } catch (error) {
      if (signal?.aborted) {
        breaker.cancelled(circuit);
        throw signal.reason;
      }
      const failure = failureOf(name, error);
      recordFailure(failure, request, status);
      observe(failure.reason);
      throw failure;
    } finally {
      if (status !== undefined) annotate({ 'http.response.status_code': status });
    }
  }

  const deadlineOf = ({ withinMs = timeoutMs }: UpstreamRequest): number =>
    // A deadline limits a real connection, so it does not follow a simulated clock.
    systemClock.elapsed() + Math.min(timeoutMs, withinMs);

  function attempt<T>(request: UpstreamRequest, until: number, read: Read<T>, resends = 0): Promise<T> {
    const method = (request.body ?? request.verbatim?.body) === undefined ? 'GET' : 'POST';
    const attributes = {
      'http.request.method': method,
      'quotient.source': name,
      ...endpoint,
      ...(resends > 0 && { 'http.request.resend_count': resends }),
    };
    return traced(`${method} ${name}`, attributes, () => once(request, until, read), 'client');
  }

  async function send<T>(request: UpstreamRequest, read: Read<T>): Promise<T> {
    const until = deadlineOf(request);
    for (let resends = 0; ; resends++) {
      const pause = Math.random() * FIRST_BACKOFF_MS * 2 ** resends;
      try {
        return await attempt(request, until, read, resends);
      } catch (error) {
        const isRetried = error instanceof UpstreamFailure && RETRIED.has(error.reason);
        if (!isRetried || resends === RETRIES || systemClock.elapsed() + pause >= until) throw error;
      }
      const { signal } = request;
      await wait(pause, undefined, signal && { signal }).catch(() => {
        throw signal?.reason;
      });
    }
  }

  return {
    name,
    /** For idempotent calls: retries broken connections and 5xx. Throws `UpstreamFailure` and errors of `read`. */
    send,

    /** Calls without retries. The failure's `sent` states whether the request may have been sent. */
    sendOnce: <T>(request: UpstreamRequest, read: Read<T>): Promise<T> => attempt(request, deadlineOf(request), read),

    close: client.close,
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
