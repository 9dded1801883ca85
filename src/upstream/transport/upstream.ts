import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Clock, HOUR, SECOND } from '#core/clock';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { failureOf, type HttpResponse, openHttpClient } from './http-client.ts';

/** Retries of one idempotent call, and the longest wait before the first of them, in ms (doubled each time). */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
const RETRIED: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);
/** The largest answer that is read where a question does not say, in bytes. */
const MAX_BYTES = 64 * 1024;
/** Connections at once: calls beyond them wait for one. */
const CONNECTIONS = 8;
/** However small the budget, a failing upstream is tried again after this, in ms. */
const LONGEST_SPACING = 6 * HOUR;
/** The failures of the upstream as a whole, and not of one question or answer: they open the circuit. */
const UNAVAILABLE: ReadonlySet<FailureCause> = new Set([
  'unreachable',
  'timeout',
  'server_error',
  'not_json',
  'too_large',
]);

/** An answer as it came, its body not parsed yet. */
export type UpstreamAnswer = { status: number; headers: Readonly<Record<string, string>>; text: string };

export type UpstreamOptions = {
  /** As it appears in logs and metrics. */
  name: string;
  /** Base URL, with or without a slash at its end. */
  url: string;
  headers?: Record<string, string>;
  /** The whole deadline of one answer: connection, headers, body and retries. */
  timeoutMs: number;
  clock: Clock;
  /** Takes one call from the budget; false when there is none left. */
  reserve: () => Promise<boolean>;
  /** How far apart the budget lets calls be, in ms: a probe of the circuit breaker is one of them. */
  callSpacing: () => number;
  /** Records how each call ended. */
  observe: (outcome: FailureCause | 'ok') => void;
  /** Its circuit breaker, where its state is read elsewhere. */
  breaker?: Breaker;
  /** How many connections there may be, where callers and not the service decide how much is asked. */
  connections?: number;
};

/** A question: what is asked below the base URL, and within how many ms, when that is less than the upstream's own. */
export type Question = {
  path: string;
  query?: Record<string, string> | URLSearchParams;
  /** Sent as JSON with POST; without one it is a GET. */
  body?: unknown;
  withinMs?: number;
  /** The largest answer that it can reasonably have, in bytes; 64 KB where left out. */
  maxBytes?: number;
  /** The failures that the question itself causes: they do not count against the upstream. */
  ownFailures?: ReadonlySet<FailureCause>;
};

const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/**
 * Reads a body up to its bound, decompressed where gzip was asked for; one whose `Content-Length` is longer is
 * not read at all.
 */
async function readBody(
  name: string,
  { headers, body }: HttpResponse,
  maxBytes: number,
  isUnpacked: boolean,
): Promise<string> {
  const tooLarge = () => new UpstreamFailure(name, 'too_large', `an answer of more than ${maxBytes} bytes`);
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

/**
 * One upstream over HTTP: its connections, its deadline, its retries, its breaker and its budget. Redirects are
 * never followed.
 */
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
    { path, query, body, maxBytes = MAX_BYTES }: Question,
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
    const text = await readBody(name, response, maxBytes, headers['accept-encoding'] === 'gzip');
    const single = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
    return { status: response.statusCode, headers: Object.fromEntries(single), text };
  }

  function recordFailure({ reason, retryAfter }: UpstreamFailure, { ownFailures }: Question): void {
    if (ownFailures?.has(reason)) breaker.cancelled();
    else if (reason === 'rate_limited') {
      breaker.rateLimited(clock.elapsed(), retryAfter === undefined ? undefined : retryAfter * SECOND);
    } else if (UNAVAILABLE.has(reason)) breaker.failed(clock.elapsed(), Math.min(LONGEST_SPACING, callSpacing()));
    else breaker.succeeded(clock.elapsed());
  }

  /** Throws `resting` (the circuit is open) or `over_budget` when no call may be made now. */
  async function reserveCall(): Promise<void> {
    const waitMs = breaker.request(clock.elapsed());
    if (waitMs > 0) {
      throw new UpstreamFailure(name, 'resting', `its circuit is open for another ${waitMs} ms`, {
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
    throw new UpstreamFailure(name, 'over_budget', 'the calls of this minute or month are spent', {
      retryAfter: 60,
      sent: false,
    });
  }

  async function once<T>(
    question: Question,
    signal: AbortSignal,
    read: (answer: UpstreamAnswer) => T | Promise<T>,
  ): Promise<T> {
    await reserveCall();
    try {
      const value = await read(await exchange(question, signal));
      breaker.succeeded(clock.elapsed());
      observe('ok');
      return value;
    } catch (error) {
      const failure = failureOf(name, error);
      recordFailure(failure, question);
      observe(failure.reason);
      throw failure;
    }
  }

  /** Full jitter: anything up to a bound that doubles. */
  const backoff = (attempt: number) => Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;

  async function ask<T>(
    question: Question,
    read: (answer: UpstreamAnswer) => T | Promise<T>,
    retries: number,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(Math.min(timeoutMs, question.withinMs ?? timeoutMs));
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(question, deadline, read);
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

    /**
     * Asks, and reads the answer; tried again on a broken connection and on 5xx while the deadline lasts, so only for
     * what may be asked twice. `read` throws `UpstreamFailure` for an answer it cannot use, and so does this.
     */
    ask: <T>(question: Question, read: (answer: UpstreamAnswer) => T): Promise<T> => ask(question, read, RETRIES),

    /** Asks once and never again: the failure tells whether anything may have gone out (`sent`). */
    askOnce: <T>(question: Question, read: (answer: UpstreamAnswer) => T | Promise<T>): Promise<T> =>
      ask(question, read, 0),

    close: client.close,
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
