/** Node's codes for a server that is not there, not yet known by name, or gone in the middle. */
const NETWORK = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOENT', // a Unix socket
];

/** PostgreSQL's own: it is starting, it is stopping, it crashed, it has no connection to spare. */
const SERVER = ['57P03', '57P01', '57P02', '53300'];

const PASSING = new Set([...NETWORK, ...SERVER]);

/** What `pg` says without a code. */
const WORDS = /^(?:timeout expired|Connection terminated)/;

/**
 * Whether an error of `pg` is about the way to the server, so that the same may succeed later. A password that the
 * server refuses, a database that it does not have, a certificate that does not hold are none of these.
 */
export function isPassing(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return PASSING.has(String(code)) || WORDS.test(String(message));
}

/** An Error fit to be shown; its code is `UNREACHABLE` when its cause passes. */
export function connectionFailure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  return isPassing(cause) ? Object.assign(error, { code: 'UNREACHABLE' as const }) : error;
}
