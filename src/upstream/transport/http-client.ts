import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { toError } from '#core/errors';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';

/** Codes of errors before a connection was made, so that no part of the request was sent. */
const UNSENT: ReadonlySet<string | undefined> = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' '),
);

type Kind = { reason: FailureCause; message: string };
const LATE: Kind = { reason: 'timeout', message: 'no response in time' };

const UNDICI: Record<string, Kind> = {
  UND_ERR_CONNECT_TIMEOUT: { reason: 'timeout', message: 'no connection in time' },
  UND_ERR_HEADERS_OVERFLOW: { reason: 'too_large', message: 'the header fields of the response are too long' },
};

/** Reduces an error to its code, if any. The message contains the host, and a node's host may contain a secret. */
export function failureOf(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (error instanceof ResponseTooLarge) return new UpstreamFailure(upstream, 'too_large', error.message);
  const { name, code } = toError(error);
  const sent = !UNSENT.has(code);
  const kind = name === 'TimeoutError' ? LATE : UNDICI[code ?? ''];
  if (kind) return new UpstreamFailure(upstream, kind.reason, kind.message, { sent });
  const [said, cause] = code === undefined ? [name, error] : [code, undefined];
  return new UpstreamFailure(upstream, 'unreachable', `connection failed: ${said}`, { cause, sent });
}

// RFC 9110, 15.2 sets no limit for interim responses (1xx), and endless ones blocked the process (see the README).
const MAX_INTERIM = 10;

export class InterimResponsesExceeded extends Error {
  override readonly name = 'InterimResponsesExceeded';
  readonly code = 'ERR_INTERIM_RESPONSES';

  constructor() {
    super(`more than ${MAX_INTERIM} interim responses (1xx)`);
  }
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor(maxBytes: number) {
    super(`the response is larger than ${maxBytes} bytes`);
  }
}

/** The origin, and the path with the query, which is sent byte for byte. */
export type Target = { origin: string; path: string };

export function targetOf(text: string | URL): Target {
  const { origin, pathname, search } = new URL(text);
  return { origin, path: pathname + search };
}

export type ResponseHead = { status: number; headers: IncomingHttpHeaders };
export type HttpResponse = ResponseHead & { bytes: Buffer };

export type HttpRequest = {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
  /** The deadline for the whole response, in ms. Without one, only the signal ends a request. */
  withinMs?: number;
  signal?: AbortSignal | undefined;
  /** Returns the maximum size of the body in bytes, or 0 to close the connection unread. An error ends the request. */
  accept: (head: ResponseHead) => number;
};

/** Collects one response. It ends once, even while the request still waits for a connection. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #deadline: NodeJS.Timeout | undefined;
  readonly #abort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #maxBytes = 0;
  #interim = 0;
  #isEnded = false;

  constructor(request: HttpRequest, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    const { withinMs, signal } = request;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    if (withinMs !== undefined) {
      const expire = () => this.#fail(new DOMException('The time limit has passed', 'TimeoutError'));
      this.#deadline = setTimeout(expire, withinMs);
    }
    if (signal === undefined) return;
    this.#abort = () => this.#fail(signal.reason);
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  #end(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    clearTimeout(this.#deadline);
    if (this.#abort) this.#request.signal?.removeEventListener('abort', this.#abort);
    return true;
  }

  #succeed(): void {
    const [first = Buffer.alloc(0), ...others] = this.#parts;
    const bytes = others.length === 0 ? first : Buffer.concat(this.#parts);
    const { status, headers } = this.#head as ResponseHead;
    if (this.#end()) this.#resolve({ status, headers, bytes });
  }

  /** Closes the connection, on which the rest of the response would arrive. */
  #fail(error: unknown): void {
    if (!this.#end()) return;
    this.#reject(error);
    this.#controller?.abort(toError(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isEnded) controller.abort(new Error('the request was cancelled'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      // Aborting inside the callback also stops parsing the current packet.
      if (this.#interim > MAX_INTERIM) this.#fail(new InterimResponsesExceeded());
      return;
    }
    this.#head = { status, headers };
    this.#maxBytes = this.#request.accept(this.#head);
    if (this.#maxBytes === 0) {
      this.#succeed();
      controller.abort(new Error('the body is not read'));
    } else if (Number(headers['content-length'] ?? 0) > this.#maxBytes)
      this.#fail(new ResponseTooLarge(this.#maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#fail(new ResponseTooLarge(this.#maxBytes));
    else this.#parts.push(chunk);
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}

/** Only this module may import undici (see `check-imports.ts`), so that all requests have the same bounds. */
export function openHttpClient(options: Agent.Options) {
  // The deadline of each request covers the head and the body.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, ...options });

  return {
    /** Rejects with an error above, a `TimeoutError`, the reason of `signal`, or the error of `accept` or of undici. */
    request: ({ origin, path }: Target, request: HttpRequest): Promise<HttpResponse> =>
      new Promise((resolve, reject) => {
        const { method, headers, body = null } = request;
        agent.dispatch({ origin, path, method, headers, body }, new Collector(request, resolve, reject));
      }),

    close: (): Promise<void> => agent.destroy(),
  };
}
