import { Agent, type Dispatcher, request } from 'undici';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { onAbort } from './deadline.ts';

/** Codes of errors before a connection was made, so that no part of the request was sent. */
const UNSENT: ReadonlySet<string | undefined> = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' '),
);

type Kind = { reason: FailureCause; message: string };
const LATE: Kind = { reason: 'timeout', message: 'no response in time' };

const UNDICI: Record<string, Kind> = {
  UND_ERR_CONNECT_TIMEOUT: { reason: 'timeout', message: 'no connection in time' },
  UND_ERR_HEADERS_TIMEOUT: LATE,
  UND_ERR_BODY_TIMEOUT: LATE,
  UND_ERR_HEADERS_OVERFLOW: { reason: 'too_large', message: 'the header fields of the response are too long' },
};

/** Reduces an error to its code, if any. The message contains the host, and a node's host may contain a secret. */
export function failureOf(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { name, code } = error as Error & { code?: string };
  const sent = !UNSENT.has(code);
  const kind = name === 'TimeoutError' ? LATE : UNDICI[code ?? ''];
  if (kind) return new UpstreamFailure(upstream, kind.reason, kind.message, { sent });
  const [said, cause] = code === undefined ? [name, error] : [code, undefined];
  return new UpstreamFailure(upstream, 'unreachable', `connection failed: ${said}`, { cause, sent });
}

// The maximum number of interim responses (1xx). Neither RFC 9110, 15.2 nor undici sets a limit: an upstream that sent
// endless interim responses blocked the process until the deadline.
const MAX_INTERIM = 10;

export class InterimResponsesExceeded extends Error {
  override readonly name = 'InterimResponsesExceeded';
  readonly code = 'ERR_INTERIM_RESPONSES';

  constructor() {
    super(`more than ${MAX_INTERIM} interim responses (1xx)`);
  }
}

export type HttpResponse = Dispatcher.ResponseData;
type RequestOptions = NonNullable<Parameters<typeof request>[1]>;
type HttpRequest = Pick<RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };
/** A path that is sent byte for byte. Parsing it as a URL would encode it again. */
export type VerbatimTarget = { origin: string; path: string };

/** Only this module may import undici (see `check-imports.ts`), so that all requests have the same bounds. */
export function openHttpClient(options: Agent.Options) {
  const agent = new Agent(options);

  return {
    /** Rejects with `InterimResponsesExceeded`, the reason of `signal`, or an error from undici or the system. */
    request(url: string | URL | VerbatimTarget, { signal, ...rest }: HttpRequest): Promise<HttpResponse> {
      const abort = new AbortController();
      onAbort(signal, () => abort.abort(signal.reason));
      let interim = 0;
      // Aborting inside the callback also stops parsing the current packet.
      const onInfo = () => {
        interim += 1;
        if (interim > MAX_INTERIM) abort.abort(new InterimResponsesExceeded());
      };
      const bounds = { signal: abort.signal, onInfo };
      if (typeof url === 'string' || url instanceof URL) return request(url, { ...rest, ...bounds, dispatcher: agent });
      return agent.request({ method: 'GET', ...rest, ...bounds, ...url });
    },

    close: (): Promise<void> => agent.destroy(),
  };
}
