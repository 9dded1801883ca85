import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, HOUR, SECOND, secondsInWords, systemClock } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import {
  failureOf,
  type HttpRequest,
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

type Read<T> = (response: HttpResponse) => T | Promise<T>;

function connect({ headers = {}, breaker = createBreaker(), connections = CONNECTIONS, ...options }: UpstreamOptions) {
  const common = { accept: 'application/json', 'accept-encoding': ACCEPTED_CODINGS, 'user-agent': 'quotient' };
  return {
    ...options,
    ...createTargets(options.url),
    breaker,
    client: openHttpClient({ connections, connect: { timeout: options.timeoutMs } }),
    headers: { GET: { ...common, ...headers }, POST: { ...common, 'content-type': 'application/json', ...headers } },
  };
}
type State = ReturnType<typeof connect>;

const overBudget = ({ name }: State): UpstreamFailure =>
  new UpstreamFailure(name, 'over_budget', 'the call budget for this minute or month is spent', {
    retryAfter: 60,
    sent: false,
  });

const methodOf = ({ body, verbatim }: UpstreamRequest): HttpRequest['method'] =>
  (body ?? verbatim?.body) === undefined ? 'GET' : 'POST';

/** Follows one redirect on the same host. The request to its target is another call of the budget. */
async function respond(
  upstream: State,
  target: Target,
  request: HttpRequest,
  until: number,
  isSecond = false,
): Promise<HttpResponse> {
  const { name, client, reserve } = upstream;
  const response = await client.request(target, { ...request, withinMs: until - systemClock.elapsed() });
  const { status, headers } = response;
  if (!isRedirect(status)) return response;
  const from = target.origin + target.path;
  const isPost = request.method === 'POST';
  const next = redirectTarget(name, { status, location: headers.location, from, isPost, isSecond });
  if (reserve && !(await reserve())) throw overBudget(upstream);
  return respond(upstream, targetOf(next), request, until, true);
}

function recordFailure(
  { breaker, clock, callSpacing }: State,
  { reason, retryAfter, sent, isOfSource }: UpstreamFailure,
  request: UpstreamRequest,
  status: number | undefined,
): void {
  const now = clock.elapsed();
  const path = circuitOf(request);
  // Once the header has arrived, the connection works, and a damaged body is a failure of its path only.
  const isOfConnection = reason === 'unreachable' && status === undefined;
  const concernsSource = isOfConnection || !sent || status === UNAVAILABLE_STATUS || isOfSource;
  if (request.ownFailures?.has(reason)) breaker.cancelled(path);
  else if (reason === 'rate_limited' || (concernsSource && retryAfter)) {
    breaker.rateLimited(now, retryAfter === undefined ? undefined : retryAfter * SECOND);
  } else if (UNAVAILABLE.has(reason)) {
    breaker.failed(now, path, { spacing: Math.min(MAX_SPACING, callSpacing()), isOfSource: concernsSource });
  } else breaker.succeeded(now, path);
}

/** Takes a call from the circuit and from the budget. Throws `resting` or `over_budget` if it is not allowed. */
async function reserveCall(upstream: State, path: string): Promise<void> {
  const { name, breaker, clock, reserve } = upstream;
  const waitMs = breaker.request(clock.elapsed(), path);
  if (waitMs > 0) {
    throw new UpstreamFailure(name, 'resting', `the circuit is open for another ${secondsInWords(waitMs)}`, {
      retryAfter: waitMs / SECOND,
      sent: false,
    });
  }
  try {
    if (reserve && !(await reserve())) throw overBudget(upstream);
  } catch (error) {
    breaker.cancelled(path);
    throw error;
  }
}

async function once<T>(upstream: State, request: UpstreamRequest, until: number, read: Read<T>): Promise<T> {
  const { name, breaker, clock, observe } = upstream;
  const { body, verbatim, signal, maxBytes = MAX_BYTES } = request;
  const circuit = circuitOf(request);
  await reserveCall(upstream, circuit);
  let status: number | undefined;
  const accept = (head: ResponseHead): number => {
    if (isRedirect(head.status)) return 0;
    status = head.status;
    codingsOf(name, head.headers);
    return maxBytes;
  };
  try {
    const method = methodOf(request);
    const headers = { ...upstream.headers[method], ...verbatim?.headers };
    const sent = verbatim || body === undefined ? verbatim?.body : JSON.stringify(body);
    const sending = { method, headers, body: sent, signal, accept };
    const response = await respond(upstream, upstream.targetIn(request), sending, until);
    const value = await read(await readResponse(name, response, maxBytes));
    breaker.succeeded(clock.elapsed(), circuit);
    observe('ok');
    return value;
  } catch (error) {
    if (signal?.aborted) {
      breaker.cancelled(circuit);
      throw signal.reason;
    }
    const failure = failureOf(name, error);
    recordFailure(upstream, failure, request, status);
    observe(failure.reason);
    throw failure;
  } finally {
    if (status !== undefined) annotate({ 'http.response.status_code': status });
  }
}

const deadlineOf = ({ timeoutMs }: State, { withinMs = timeoutMs }: UpstreamRequest): number =>
  // A deadline limits a real connection, so it does not follow a simulated clock.
  systemClock.elapsed() + Math.min(timeoutMs, withinMs);

function attempt<T>(upstream: State, request: UpstreamRequest, until: number, read: Read<T>, resends = 0): Promise<T> {
  const method = methodOf(request);
  const attributes = {
    'http.request.method': method,
    'quotient.source': upstream.name,
    ...upstream.endpoint,
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  };
  return traced(`${method} ${upstream.name}`, attributes, () => once(upstream, request, until, read), 'client');
}

async function send<T>(upstream: State, request: UpstreamRequest, read: Read<T>): Promise<T> {
  const until = deadlineOf(upstream, request);
  for (let resends = 0; ; resends++) {
    const pause = Math.random() * FIRST_BACKOFF_MS * 2 ** resends;
    try {
      return await attempt(upstream, request, until, read, resends);
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

/** One upstream over HTTP with its connections, deadline, retries, breaker and budget. */
export function openUpstream(options: UpstreamOptions) {
  const upstream = connect(options);

  return {
    name: upstream.name,
    /** For idempotent calls: retries broken connections and 5xx. Throws `UpstreamFailure` and errors of `read`. */
    send: <T>(request: UpstreamRequest, read: Read<T>): Promise<T> => send(upstream, request, read),
    /** Calls without retries. The failure's `sent` states whether the request may have been sent. */
    sendOnce: <T>(request: UpstreamRequest, read: Read<T>): Promise<T> =>
      attempt(upstream, request, deadlineOf(upstream, request), read),
    close: upstream.client.close,
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
