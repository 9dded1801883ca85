import { QuotientError } from '../error.ts';
import type { StreamedPrice } from '../generated/records.ts';
import { toStreamedPrice } from '../records.ts';
import { errorOf, parseJson } from '../transport/answer.ts';
import { startDeadline } from '../transport/deadline.ts';
import { isTransient } from '../transport/retries.ts';
import { eventsOf } from './events.ts';

export type StreamOptions = {
  /** The currency of the amounts, such as `eur`; US dollars by default. */
  currency?: string | undefined;
  /** Ends the stream, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time limit of each attempt to connect, in ms; that of the client by default. */
  timeout?: number | undefined;
  /** The maximum number of consecutive failed attempts to connect; unlimited by default. */
  retries?: number | undefined;
  /** The longest pause that the service may request, in ms; 5 minutes by default. A longer one ends the stream. */
  longestPause?: number | undefined;
  /** Further headers, such as `x-request-id`. */
  headers?: RequestInit['headers'] | undefined;
};

/** The service sends a comment every 15 s. After this time without data, the connection is broken. */
const SILENCE_MS = 45_000;
/** The pause before a reconnect, until the service has sent its own. */
const RETRY_MS = 3_000;
const LONGEST_PAUSE_MS = 300_000;
/** The upper bound of the random pause. It doubles with each failed attempt, up to the maximum. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

type Open = (signal: AbortSignal) => Promise<Response>;

function read(data: string): StreamedPrice {
  try {
    return toStreamedPrice(JSON.parse(data));
  } catch (cause) {
    throw new QuotientError('invalid_answer', 'a price has an unexpected shape', { cause });
  }
}

/** Whether another attempt may succeed. The service may have been replaced while a stream was open. */
const isRepeated = (error: QuotientError) => error.code === 'timeout' || isTransient(error);

/** The error of a connection that has ended without a problem. */
const ended = (cause?: unknown) => new QuotientError('network', 'the stream has ended', { cause });

/**
 * The prices of a stream, which is opened again whenever it ends. Throws a `QuotientError` that another attempt cannot
 * resolve, or the reason of the signal.
 */
export async function* streamPrices(open: Open, options: StreamOptions = {}): AsyncGenerator<StreamedPrice, void> {
  const { retries = Number.POSITIVE_INFINITY, longestPause = LONGEST_PAUSE_MS, signal } = options;
  const whole = startDeadline(Number.POSITIVE_INFINITY, signal);
  let retryMs = RETRY_MS;
  let failures = 0;

  /** Yields the prices of one connection until it ends or fails. Returns the reason. */
  async function* connection(): AsyncGenerator<StreamedPrice, QuotientError> {
    const silence = new AbortController();
    const stop = () => silence.abort(whole.signal.reason);
    whole.signal.addEventListener('abort', stop);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arrived = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(ended()), SILENCE_MS);
    };
    try {
      const { body } = await open(silence.signal);
      if (!body) return ended();
      arrived();
      for await (const event of eventsOf(body, arrived)) {
        failures = 0;
        if ('retry' in event) retryMs = event.retry;
        else if (event.event === 'price') yield read(event.data);
        else if (event.event === 'problem') return errorOf(parseJson(event.data));
        // The reader may take longer to process a price than the service may be silent.
        arrived();
      }
      return ended();
    } catch (error) {
      whole.check();
      return error instanceof QuotientError ? error : ended(error);
    } finally {
      clearTimeout(timer);
      whole.signal.removeEventListener('abort', stop);
      silence.abort();
    }
  }

  try {
    whole.check();
    for (;;) {
      const error = yield* connection();
      whole.check();
      failures += 1;
      const requested = (error.retryAfter ?? 0) * 1000;
      if (!isRepeated(error) || failures > retries || requested > longestPause) throw error;
      const spread = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
      await whole.sleep(Math.max(requested, failures === 1 ? retryMs : 0) + spread * Math.random());
    }
  } finally {
    whole.clear();
  }
}
