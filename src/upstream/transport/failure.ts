import { type FailureCause, UpstreamFailure } from '#upstream/failure';

/** No connection came about, so nothing of the question can have gone out. */
const UNSENT: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const UNDICI: Record<string, FailureCause> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
};

/** What a call to an upstream failed with, in our words: errors of undici, of the system and of a deadline. */
export function failureOf(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { name: kind, code } = error as { name?: string; code?: string };
  const reason = kind === 'TimeoutError' ? 'timeout' : (UNDICI[code ?? ''] ?? 'unreachable');
  const message = reason === 'timeout' ? 'no answer within its time' : `${reason} (${code ?? kind})`;
  return new UpstreamFailure(upstream, reason, message, { cause: error, sent: !UNSENT.has(code) });
}
