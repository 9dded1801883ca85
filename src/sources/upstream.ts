import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';

/** Retries of one idempotent call, and the longest wait before the first of them, in ms (doubled each time). */
const RETRIES = 2;
const FIRST_BACKOFF_MS = 200;
/** The largest answer that is read, in bytes: thirteen years of daily figures are about 1 MB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const CONNECTIONS = 8;

/** An answer as it came: nothing of its body is believed yet. */
export type UpstreamAnswer = { status: number; headers: Readonly<Record<string, string>>; text: string };

export type UpstreamOptions = {
  /** As it appears in logs. */
  name: string;
  /** Base URL, without a slash at its end. */
  url: string;
  headers?: Record<string, string>;
  /** The whole deadline of one answer: connection, headers, body and retries. */
  timeoutMs: number;
};

const isAbort = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
const codeOf = (error: unknown) => (error as { code?: string }).code;

/** One upstream over HTTP: its connections, its deadline and its retries. Redirects are never followed. */
export function openUpstream({ name, url, headers = {}, timeoutMs }: UpstreamOptions) {
  const agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_BODY_BYTES,
  });

  async function once(target: string, signal: AbortSignal): Promise<UpstreamAnswer> {
    const response = await request(target, {
      dispatcher: agent,
      signal,
      headers: { accept: 'application/json', 'user-agent': 'quotient', ...headers },
    });
    const text = await response.body.text();
    const single = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
    return { status: response.statusCode, headers: Object.fromEntries(single), text };
  }

  function failure(error: unknown): UpstreamFailure {
    if (isAbort(error)) {
      return new UpstreamFailure(name, 'timeout', `no answer within ${timeoutMs} ms`, { cause: error });
    }
    const known: Record<string, FailureCause> = {
      UND_ERR_CONNECT_TIMEOUT: 'timeout',
      UND_ERR_HEADERS_TIMEOUT: 'timeout',
      UND_ERR_BODY_TIMEOUT: 'timeout',
      UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too_large',
    };
    const reason = known[codeOf(error) ?? ''] ?? 'unreachable';
    return new UpstreamFailure(name, reason, `${reason} (${codeOf(error) ?? String(error)})`, {
      cause: error,
    });
  }

  /** Full jitter: anything up to a bound that doubles. */
  const backoff = (attempt: number) => Math.random() * FIRST_BACKOFF_MS * 2 ** attempt;

  return {
    name,

    /**
     * GET a path below the base URL, tried again on a broken connection and on 5xx while the deadline lasts.
     * Answers with any status; throws `UpstreamFailure` when there is none.
     */
    async get(path: string, query: Record<string, string>): Promise<UpstreamAnswer> {
      const target = `${url}${path}?${new URLSearchParams(query)}`;
      const deadline = AbortSignal.timeout(timeoutMs);
      for (let attempt = 0; ; attempt++) {
        try {
          const answer = await once(target, deadline);
          if (answer.status < 500 || attempt === RETRIES) return answer;
        } catch (error) {
          const failed = failure(error);
          if (failed.reason !== 'unreachable' || attempt === RETRIES) throw failed;
        }
        await wait(backoff(attempt), undefined, { signal: deadline }).catch(() => {
          throw failure(deadline.reason);
        });
      }
    },

    async close(): Promise<void> {
      await agent.destroy();
    },
  };
}

export type Upstream = ReturnType<typeof openUpstream>;
