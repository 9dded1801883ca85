import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Breaker, createBreaker } from '../domain/breaker.ts';
import { type Clock, HOUR, SECOND } from '../domain/clock.ts';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import { failureOf } from './transport-failure.ts';

/** Retries of one idempotent call, and the longest wait before the first of them, in ms (doubled each time). */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
const RETRIED: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);
/** The largest answer that is read, in bytes: thirteen years of daily figures are about 1 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const CONNECTIONS = 8;
/** However small the budget, a failing upstream is tried again after this, in ms. */
const SELDOM = 6 * HOUR;
/** What says that the upstream is in trouble, rather than that one question or answer was wrong. */
const TROUBLE: ReadonlySet<FailureCause> = new Set([
  'unreachable',
  'timeout',
  'server_error',
  'not_json',
  'too_large',
]);

/** An answer as it came: nothing of its body is believed yet. */
export type UpstreamAnswer = { status: number; headers: Readonly<Record<string, string>>; text: string };

export type UpstreamOptions = {
  /** As it appears in logs and metrics. */
  name: string;
  /** Base URL, without a slash at its end. */
  url: string;
  headers?: Record<string, string>;
  /** The whole deadline of one answer: connection, headers, body and retries. */
  timeoutMs: number;
  clock: Clock;
  /** Takes one call from the budget; false when there is none left. */
  reserve: () => Promise<boolean>;
  /** How far apart calls are that the budget allows, in ms: a call to see whether it is back is one of them. */
  interval: () => number;
  /** Told how each call ended. */
  observe: (outcome: FailureCause | 'ok') => void;
  /** Its breaker, where others want to know how it stands. */
  breaker?: Breaker;
};

/** A question: what is asked below the base URL, and within how many ms, when that is less than the upstream's own. */
type Question = {
  path: string;
  query?: Record<string, string> | URLSearchParams;
  /** Sent as JSON with POST; without one it is a GET. */
  body?: unknown;
  withinMs?: number;
};

/**
 * One upstream over HTTP: its connections, its deadline, its retries, its breaker and its budget. Redirects are
 * never followed.
 */
export function openUpstream(options: UpstreamOptions) {
  const { name, url, headers = {}, timeoutMs, clock, reserve, interval, observe } = options;
  const { breaker = createBreaker() } = options;
  const agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_BODY_BYTES,
  });

  async function exchange({ path, query, body }: Question, signal: AbortSignal): Promise<UpstreamAnswer> {
    const search = new URLSearchParams(query).toString();
    const response = await request(`${url}${path}${search && '?'}${search}`, {
      dispatcher: agent,
      signal,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'user-agent': 'quotient',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.body.text();
    const single = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
    return { status: response.statusCode, headers: Object.fromEntries(single), text };
  }

  function book({ reason, retryAfter }: UpstreamFailure): void {
    if (reason === 'rate_limited') {
      breaker.limited(clock.elapsed(), retryAfter === undefined ? undefined : retryAfter * SECOND);
    } else if (TROUBLE.has(reason)) breaker.failed(clock.elapsed(), Math.min(SELDOM, interval()));
    else breaker.succeeded(clock.elapsed());
  }

  /** Throws `resting` or `over_budget` when the upstream may not be asked now. */
  async function admit(): Promise<void> {
    const rest = breaker.admit(clock.elapsed());
    if (rest > 0) {
      throw new UpstreamFailure(name, 'resting', `left alone for another ${rest} ms`, {
        retryAfter: rest / SECOND,
        sent: false,
      });
    }
    try {
      if (await reserve()) return;
    } catch (error) {
      breaker.withdrawn();
      throw error;
    }
    breaker.withdrawn();
    throw new UpstreamFailure(name, 'over_budget', 'the calls of this minute or month are spent', {
      retryAfter: 60,
      sent: false,
    });
  }

  async function once<T>(
    question: Question,
    signal: AbortSignal,
    read: (answer: UpstreamAnswer) => T,
  ): Promise<T> {
    await admit();
    try {
      const value = read(await exchange(question, signal));
      breaker.succeeded(clock.elapsed());
      observe('ok');
      return value;
    } catch (error) {
      const failure = failureOf(name, error);
      book(failure);
      observe(failure.reason);
      throw failure;
    }
  }

  /** Full jitter: anything up to a bound that doubles. */
  const backoff = (attempt: number) => Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;

  async function ask<T>(
    question: Question,
    read: (answer: UpstreamAnswer) => T,
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
    ask: <T>(question: Question, read: (answer: UpstreamAnswer) => T): Promise<T> =>
      ask(question, read, RETRIES),

    /** Asks once and never again: the failure tells whether anything may have gone out (`sent`). */
    askOnce: <T>(question: Question, read: (answer: UpstreamAnswer) => T): Promise<T> =>
      ask(question, read, 0),

    async close(): Promise<void> {
      await agent.destroy();
    },
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
