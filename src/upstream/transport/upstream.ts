import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Clock, HOUR, SECOND } from '#core/clock';
import { annotate, traced } from '#core/tracing';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { failureOf, type HttpResponse, openHttpClient } from './http-client.ts';

/** How often an idempotent call is retried, and the maximum delay before the first retry (ms), which doubles. */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
const RETRIED: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);
const MAX_BYTES = 64 * 1024;
/** The maximum number of concurrent connections. Further calls wait. */
const CONNECTIONS = 8;
/** On any budget, a failing upstream is probed at least this often, in ms. */
const LONGEST_SPACING = 6 * HOUR;
/** Failures of the upstream as a whole, which open the circuit. */
const UNAVAILABLE: ReadonlySet<FailureCause> = new Set([
  'unreachable',
  'timeout',
  'server_error',
  'not_json',
  'too_large',
]);

export type UpstreamAnswer = { status: number; headers: Readonly<Record<string, string>>; text: string };

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

/** `path` is relative to the base URL. `withinMs` lowers the upstream's deadline. */
export type UpstreamRequest = {
  path: string;
  query?: Record<string, string> | URLSearchParams;
  /** The body, which is sent as JSON with POST. Without a body, the call is a GET. */
  body?: unknown;
  withinMs?: number;
  /** The maximum response size in bytes; 64 KB by default. */
  maxBytes?: number;
  /** Failures caused by the request itself, which do not count against the upstream. */
  ownFailures?: ReadonlySet<FailureCause>;
};

const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** Decompresses the body if gzip was requested. Does not read a body whose `Content-Length` exceeds `maxBytes`. */
async function readBody(
  name: string,
  { headers, body }: HttpResponse,
  maxBytes: number,
  isUnpacked: boolean,
): Promise<string> {
  const tooLarge = () => new UpstreamFailure(name, 'too_large', `the response is larger than ${maxBytes} bytes`);
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.on('error', () => undefined).destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks, size);
  if (!isUnpacked || headers['content-encoding'] !== 'gzip') return new TextDecoder().decode(bytes);
  const plain = await decompress(bytes, { maxOutputLength: maxBytes }).catch((error) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  });
  return new TextDecoder().decode(plain);
}

/** One upstream over HTTP with its connections, deadline, retries, breaker and budget. Redirects are not followed. */
export function openUpstream(options: UpstreamOptions) {
  const { name, headers = {}, timeoutMs, clock, reserve, callSpacing, observe } = options;
  const url = options.url.replace(/\/+$/, '');
  const { breaker = createBreaker(), connections = CONNECTIONS } = options;
  const client = openHttpClient({
    connections,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  async function exchange(
    { path, query, body, maxBytes = MAX_BYTES }: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer> {
    const search = new URLSearchParams(query).toString();
    const response = await client.request(`${url}${path}${search && '?'}${search}`, {
      signal,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'user-agent': 'quotient',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    annotate({ 'http.response.status_code': response.statusCode });
    const text = await readBody(name, response, maxBytes, headers['accept-encoding'] === 'gzip');
    const single = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
    return { status: response.statusCode, headers: Object.fromEntries(single), text };
  }

  function recordFailure({ reason, retryAfter }: UpstreamFailure, { ownFailures }: UpstreamRequest): void {
    if (ownFailures?.has(reason)) breaker.cancelled();
    else if (reason === 'rate_limited') {
      breaker.rateLimited(clock.elapsed(), retryAfter === undefined ? undefined : retryAfter * SECOND);
    } else if (UNAVAILABLE.has(reason)) breaker.failed(clock.elapsed(), Math.min(LONGEST_SPACING, callSpacing()));
    else breaker.succeeded(clock.elapsed());
  }

  /** Throws `resting` (open circuit) or `over_budget` if no call may be made. */
  async function reserveCall(): Promise<void> {
    const waitMs = breaker.request(clock.elapsed());
    if (waitMs > 0) {
      throw new UpstreamFailure(name, 'resting', `the circuit is open for another ${waitMs} ms`, {
        retryAfter: waitMs / SECOND,
        sent: false,
      });
    }
    try {
      if (await reserve()) return;
    } catch (error) {
      breaker.cancelled();
      throw error;
    }
    breaker.cancelled();
    throw new UpstreamFailure(name, 'over_budget', 'the call budget for this minute or month is spent', {
      retryAfter: 60,
      sent: false,
    });
  }

  async function once<T>(
    request: UpstreamRequest,
    signal: AbortSignal,
    read: (answer: UpstreamAnswer) => T | Promise<T>,
  ): Promise<T> {
    await reserveCall();
    try {
      const value = await read(await exchange(request, signal));
      breaker.succeeded(clock.elapsed());
      observe('ok');
      return value;
    } catch (error) {
      const failure = failureOf(name, error);
      recordFailure(failure, request);
      observe(failure.reason);
      throw failure;
    }
  }

  const backoff = (attempt: number) => Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;

  async function send<T>(
    request: UpstreamRequest,
    read: (answer: UpstreamAnswer) => T | Promise<T>,
    retries: number,
  ): Promise<T> {
    const method = request.body === undefined ? 'GET' : 'POST';
    const deadline = AbortSignal.timeout(Math.min(timeoutMs, request.withinMs ?? timeoutMs));
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
        throw failureOf(name, deadline.reason);
      });
    }
  }

  return {
    name,
    /** For idempotent calls only: retries broken connections and 5xx. Throws `UpstreamFailure` and errors of `read`. */
    send: <T>(request: UpstreamRequest, read: (answer: UpstreamAnswer) => T): Promise<T> =>
      send(request, read, RETRIES),

    /** Calls without retries. The failure's `sent` states whether the request may have been sent. */
    sendOnce: <T>(request: UpstreamRequest, read: (answer: UpstreamAnswer) => T | Promise<T>): Promise<T> =>
      send(request, read, 0),

    close: client.close,
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
