import { Agent, type Dispatcher, request } from 'undici';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';

/** No connection was made, so no part of the request can have been sent. */
const UNSENT: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

type Kind = { reason: FailureCause; message: string };

const LATE: Kind = { reason: 'timeout', message: 'no answer within its time' };

const UNDICI: Record<string, Kind> = {
  UND_ERR_CONNECT_TIMEOUT: { reason: 'timeout', message: 'no connection within its time' },
  UND_ERR_HEADERS_TIMEOUT: LATE,
  UND_ERR_BODY_TIMEOUT: LATE,
  UND_ERR_HEADERS_OVERFLOW: { reason: 'too_large', message: 'the header fields of its answer are too long' },
};

/**
 * Converts an error of undici, of the system or of a deadline. The message does not repeat the reason, which is shown
 * beside it. Of an error with a code it has the code alone, and no cause, which the log would append: the error's own
 * message names hosts and addresses, and those of a node may hold a secret.
 */
export function failureOf(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { name, code } = error as Error & { code?: string };
  const sent = !UNSENT.has(code);
  const known = name === 'TimeoutError' ? LATE : UNDICI[code ?? ''];
  if (known) return new UpstreamFailure(upstream, known.reason, known.message, { sent });
  const [said, cause] = code === undefined ? [name, error] : [code, undefined];
  return new UpstreamFailure(upstream, 'unreachable', `connection failed: ${said}`, { cause, sent });
}

/**
 * How many interim responses (1xx) may come before the final one. RFC 9110, 15.2 sets no limit, and undici reads them for
 * as long as they come: one upstream that sent them without end kept the process from its other work until the deadline.
 */
const MOST_INTERIM = 10;

/** An upstream sent more interim responses than are read. */
export class InterimResponsesExceeded extends Error {
  override readonly name = 'InterimResponsesExceeded';
  readonly code = 'ERR_INTERIM_RESPONSES';

  constructor() {
    super(`more than ${MOST_INTERIM} interim responses (1xx)`);
  }
}

export type HttpResponse = Dispatcher.ResponseData;

type RequestOptions = NonNullable<Parameters<typeof request>[1]>;
type HttpRequest = Pick<RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

/**
 * Opens connections over HTTP. This is the only module that may import undici (`biome.json`), so that every request of
 * the service has the same bounds.
 */
export function openHttpClient(options: Agent.Options) {
  const agent = new Agent(options);

  return {
    /** Rejects with `InterimResponsesExceeded`, the reason of `signal`, or an error of undici or the system. */
    request(url: string | URL, { signal, ...rest }: HttpRequest): Promise<HttpResponse> {
      const excess = new AbortController();
      let interim = 0;
      // To abort within the callback also ends the parsing of the packet that brought the response.
      const onInfo = () => {
        interim += 1;
        if (interim > MOST_INTERIM) excess.abort(new InterimResponsesExceeded());
      };
      return request(url, {
        ...rest,
        dispatcher: agent,
        signal: AbortSignal.any([signal, excess.signal]),
        onInfo,
      });
    },

    /** Ends all connections, and the requests on them. */
    close: (): Promise<void> => agent.destroy(),
  };
}
