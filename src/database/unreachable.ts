import { TooLate } from './deadline.ts';

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

/** Ours: none of several hosts is there, or has the session that is wanted. */
const NO_HOST = 'UNREACHABLE';

const PASSING = new Set([...NETWORK, ...SERVER, NO_HOST]);

/** The code of each of PgBouncer's own errors. */
const POOLER = '08P01';
/** PgBouncer's words while its server is away or has no connection to spare. */
const POOLER_WITHOUT_SERVER =
  /cannot connect to server|server login|server conn|server shutting down|query_wait_timeout|server down|no more connections/;

/** What `pg` says without a code. */
const WORDS = /^(?:timeout expired|Connection terminated)/;

/** The code of a write to a read-only server. */
export const READ_ONLY = '25006';

/** PostgreSQL's own while it is there and cannot do what it is asked; with each, what the operator has to mend. */
const UNABLE = new Set([
  READ_ONLY, // a standby, or a role or database that was set so
  '25P03', // a transaction of ours lay idle for longer than it may
  POOLER,
  '28000', // the role may not connect any more
  '28P01', // the password was changed
  '3D000', // the database was dropped
  '40001', // a collision with another transaction
  '40P01',
  '42501', // the role may not do this
  '53100', // disk full
  '53200', // out of memory
  '53400', // a limit of its configuration
  '55P03', // a lock that was not to be had in time
  '57014', // cancelled: it took longer than a statement may
  '57P04', // the database was dropped
  '57P05', // a session of ours lay idle for longer than it may
  '58000', // the system's file operations
  '58030',
  '58P01',
  '58P02',
  'XX001', // damaged data
  'XX002',
]);

/** Prisma's own: not to be reached, no connection to spare, a transaction that was not begun or ended in time. */
const PRISMA = /^(?:P10\d\d|P2024|P2028|P2034|P2037)$/;
/** What Prisma's adapter calls an error of the connection, for which it keeps no code. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** What `pg`, its pool and the embedded database say without a code while they are at work. */
const WORDS_AT_WORK =
  /^(?:timeout exceeded|Query read timeout|Client has encountered a connection error|Cannot use a pool|PGlite )/;

type Failure = {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  errno?: unknown;
  meta?: {
    driverAdapterError?: { cause?: { kind?: string; originalCode?: string; originalMessage?: string } };
  };
};

/**
 * Whether an error of `pg` is about the way to the server, so that the same may succeed later. A password that the
 * server refuses, a database that it does not have, a certificate that does not hold are none of these.
 */
export function isPassing(error: unknown): boolean {
  const { code, message } = Object(error) as Failure;
  if (String(code) === POOLER) return POOLER_WITHOUT_SERVER.test(String(message));
  return PASSING.has(String(code)) || WORDS.test(String(message));
}

/**
 * Whether an error tells of the state the database is in, once it was opened: of a server that is away or full, a role
 * that may not write any more. Any other error of a statement is a fault of ours.
 */
export function isDatabaseUnable(error: unknown): boolean {
  const { name, code, message, errno, meta } = Object(error) as Failure;
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {};
  if (isPassing(error) || PASSING.has(originalCode) || UNABLE.has(originalCode) || UNABLE.has(String(code)))
    return true;
  if (name === 'PrismaClientInitializationError' || PRISMA.test(String(code)) || KINDS.has(kind)) return true;
  // A file that the embedded database could not write: WebAssembly throws the system's number and no words.
  return WORDS_AT_WORK.test(String(message)) || typeof errno === 'number' || name === 'ExitStatus';
}

/** PgBouncer's words for the parameter with which the pool connects; those of 1.20 and later differ. */
const REJECTED_PARAMETER = /unsupported (?:options )?startup parameter/;

/** How the operator repairs the cause of a failed connection, to follow its message; empty for most. */
export function remedyOf(cause: unknown): string {
  if (!REJECTED_PARAMETER.test(String((cause as Failure).message))) return '';
  return '. PgBouncer must ignore it: set ignore_startup_parameters = options in pgbouncer.ini';
}

const SQLSTATES = new Set([...SERVER, ...UNABLE]);
/** What `pg` and Prisma say where no answer came in time. */
const NO_ANSWER = /timeout|timed out/i;
const NETWORK_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed']);

/**
 * Which failure an error of the database is, as the log names it: `unreachable`, `timeout`, an SQLSTATE, or a code of
 * Prisma's; `reason` is what was said. Undefined for an error that has another cause than the state of the database.
 */
export function identifyDatabaseFailure(error: unknown): { cause: string; reason: string } | undefined {
  if (error instanceof TooLate) return { cause: 'timeout', reason: error.message };
  if (!isDatabaseUnable(error)) return undefined;
  const { name, code, message = '', meta } = Object(error) as Failure;
  const { kind = '', originalCode, originalMessage } = meta?.driverAdapterError?.cause ?? {};
  // Prisma puts the place of the call and blank lines before what the database said.
  const reason = originalMessage ?? String(message).trim().split('\n').at(-1)?.trim() ?? '';
  const sqlState = originalCode ?? String(code);
  const isNetwork = PASSING.has(String(code)) || NETWORK_KINDS.has(kind) || WORDS.test(reason);
  if (SQLSTATES.has(sqlState)) return { cause: sqlState, reason };
  if (NO_ANSWER.test(reason) || kind === 'SocketTimeout') return { cause: 'timeout', reason };
  if (isNetwork) return { cause: 'unreachable', reason };
  return { cause: String(code ?? name ?? 'unwritable'), reason };
}

/** An Error fit to be shown; its code is `UNREACHABLE` when its cause passes. */
export function connectionFailure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  return isPassing(cause) ? Object.assign(error, { code: 'UNREACHABLE' as const }) : error;
}
