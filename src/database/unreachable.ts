import { TooLate } from './deadline.ts';

/** Node's codes for a server that is down, has no DNS entry yet, or disconnects. */
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

/** PostgreSQL's codes for a server that is starting, stopping, recovering from a crash, or out of connections. */
const SERVER = ['57P03', '57P01', '57P02', '53300'];
/** This service's code: none of several hosts is reachable and suitable. */
const NO_HOST = 'UNREACHABLE';
const PASSING = new Set([...NETWORK, ...SERVER, NO_HOST]);
/** The code of every PgBouncer error. */
const POOLER = '08P01';
/** PgBouncer's messages while its server is down or out of connections. */
const POOLER_WITHOUT_SERVER =
  /cannot connect to server|server login|server conn|server shutting down|query_wait_timeout|server down|no more connections/;

const WORDS = /^(?:timeout expired|Connection terminated|Client has encountered a connection error)/;
export const READ_ONLY = '25006';

/** PostgreSQL's codes of a reachable database that cannot execute statements, with the condition to fix. */
const UNABLE = new Set([
  READ_ONLY, // a standby, or a role or database that is configured as read-only
  '25P03', // a transaction of this service was idle for too long
  POOLER,
  '28000', // the role may no longer connect
  '28P01', // the password was changed
  '3D000', // the database was dropped
  '40001', // a conflict with another transaction
  '40P01',
  '42501', // the role lacks a privilege
  '53100', // disk full
  '53200', // out of memory
  '53400', // a configured limit was exceeded
  '55P03', // a lock was not available in time
  '57014', // cancelled by the statement timeout
  '57P04', // the database was dropped
  '57P05', // a session of this service was idle for too long
  '58000', // a file operation of the operating system failed
  '58030',
  '58P01',
  '58P02',
  'XX001', // damaged data
  'XX002',
]);

/** Prisma's codes for an unreachable database, no free connection, or a transaction timeout. */
const PRISMA = /^(?:P10\d\d|P2024|P2028|P2034|P2037)$/;
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** Messages of errors without a code, from `pg`, its pool and the embedded database, during operation. */
const WORDS_AT_WORK = /^(?:timeout exceeded|Query read timeout|Cannot use a pool|PGlite )/;

type Failure = {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  errno?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: { cause?: AdapterCause } };
};

type AdapterCause = { kind?: string; originalCode?: string; originalMessage?: string };

/** Prisma wraps its adapter's errors, except those of `BEGIN` and `COMMIT` of an interactive transaction. */
function adapterCause({ name, cause, meta }: Failure): AdapterCause {
  const wrapped = meta?.driverAdapterError?.cause;
  return wrapped ?? (name === 'DriverAdapterError' ? Object(cause) : {});
}

/** Whether a retry of the connection may succeed. False for a wrong password, missing database or bad certificate. */
export function isPassing(error: unknown): boolean {
  const { code, message } = Object(error) as Failure;
  if (String(code) === POOLER) return POOLER_WITHOUT_SERVER.test(String(message));
  return PASSING.has(String(code)) || WORDS.test(String(message));
}

/** Whether the state of the opened database caused an error. Any other error from a statement is a bug. */
export function isDatabaseUnable(error: unknown): boolean {
  const { name, code, message, errno } = Object(error) as Failure;
  const { kind = '', originalCode = '' } = adapterCause(Object(error));
  if (isPassing(error) || PASSING.has(originalCode) || UNABLE.has(originalCode) || UNABLE.has(String(code)))
    return true;
  if (name === 'PrismaClientInitializationError' || PRISMA.test(String(code)) || KINDS.has(kind)) return true;
  // When the embedded database cannot write a file, WebAssembly throws only the error number.
  return WORDS_AT_WORK.test(String(message)) || typeof errno === 'number' || name === 'ExitStatus';
}

/** PgBouncer's rejection of the pool's parameters. The text changed in version 1.20. */
const REJECTED_PARAMETER = /unsupported (?:options )?startup parameter/;

/** The remedy for a failed connection, which is appended to its message. Usually empty. */
export function remedyOf(cause: unknown): string {
  if (!REJECTED_PARAMETER.test(String((cause as Failure).message))) return '';
  return '. For PgBouncer, set ignore_startup_parameters = options in pgbouncer.ini';
}

const SQLSTATES = new Set([...SERVER, ...UNABLE]);
const NO_ANSWER = /timeout|timed out/i;
const NETWORK_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed']);

/** The cause for the log: `unreachable`, `timeout`, an SQLSTATE or another code. Undefined for a bug. */
export function identifyDatabaseFailure(error: unknown): { cause: string; reason: string } | undefined {
  if (error instanceof TooLate) return { cause: 'timeout', reason: error.message };
  if (!isDatabaseUnable(error)) return undefined;
  const { name, code, message = '' } = Object(error) as Failure;
  const { kind = '', originalCode, originalMessage } = adapterCause(Object(error));
  // Prisma prints the call site and blank lines before the database's message.
  const reason = originalMessage ?? String(message).trim().split('\n').at(-1)?.trim() ?? '';
  const sqlState = originalCode ?? String(code);
  const isNetwork = PASSING.has(String(code)) || NETWORK_KINDS.has(kind) || WORDS.test(reason);
  if (SQLSTATES.has(sqlState)) return { cause: sqlState, reason };
  if (NO_ANSWER.test(reason) || kind === 'SocketTimeout') return { cause: 'timeout', reason };
  if (isNetwork) return { cause: 'unreachable', reason };
  return { cause: String(code ?? name ?? 'unwritable'), reason };
}

/** An Error whose message can be displayed. Its code is `UNREACHABLE` if a retry may succeed. */
export function connectionFailure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  return isPassing(cause) ? Object.assign(error, { code: 'UNREACHABLE' as const }) : error;
}
