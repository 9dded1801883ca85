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
