import { TooLate } from '../deadline.ts';

const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '));

/** PostgreSQL's codes for a server that is starting, stopping, recovering from a crash, or out of connections. */
const SERVER = words('57P03 57P01 57P02 53300');
const PASSING = new Set([
  ...SERVER,
  // Node's codes for a server that is down, has no DNS entry yet, or disconnects. ENOENT is for a Unix socket.
  ...words('ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ENOENT'),
  'UNREACHABLE', // this service's code: none of several hosts is reachable and suitable
]);
/** The code of all PgBouncer errors. */
const POOLER = '08P01';
/** PgBouncer's messages while its server is down or out of connections. */
const POOLER_WITHOUT_SERVER =
  /cannot connect to server|server login|server conn|server shutting down|query_wait_timeout|server down|no more connections/;

const WORDS =
  /^(?:timeout expired|timeout exceeded|Query read timeout|Connection terminated|Client has encountered a connection error)/;
export const READ_ONLY = '25006';
export const DENIED = '42501';

/** Codes of a reachable database that cannot execute statements, with the condition to fix. */
const UNABLE = words(
  'UNSUITABLE', // this service's code: a setting of the database does not suit the service
  `${READ_ONLY} ${DENIED}`, // a standby, or a role or database that is read-only or lacks a privilege
  '28000 28P01 3D000 57P04', // the role may no longer connect, the password was changed, the database was dropped
  '40001 40P01 55P03 57014', // a conflict, a lock or a timeout
  '25P03 57P05', // a transaction or a session of this service was idle for too long
  `${POOLER} 53100 53200 53400`, // an error of a pooler; disk full, out of memory, over a configured limit
  '58000 58030 58P01 58P02 XX001 XX002', // a file operation failed, or data is damaged
);

/** Prisma's codes for an unreachable database, no free connection, or a transaction timeout. */
const PRISMA = /^(?:P10\d\d|P2024|P2028|P2034|P2037)$/;
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** Messages of errors without a code, from `pg`, its pool and the embedded database, during operation. */
const WORDS_AT_WORK = /^(?:Cannot use a pool|PGlite )/;

type Failure = {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  errno?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: { cause?: AdapterCause } };
};

type AdapterCause = { kind?: string; originalCode?: string; originalMessage?: string };

/** Prisma wraps its adapter's errors, except errors from the `BEGIN` and `COMMIT` of an interactive transaction. */
function adapterCause({ name, cause, meta }: Failure): AdapterCause {
  const wrapped = meta?.driverAdapterError?.cause;
  return wrapped ?? (name === 'DriverAdapterError' ? Object(cause) : {});
}

/** Whether retrying the connection may succeed. False for a wrong password, a missing database or a bad certificate. */
export function isPassing(error: unknown): boolean {
  const { code, message }: Failure = Object(error);
  if (String(code) === POOLER) return POOLER_WITHOUT_SERVER.test(String(message));
  return PASSING.has(String(code)) || WORDS.test(String(message));
}

/** Whether the state of the opened database caused an error. Any other error from a statement is a bug. */
export function isDatabaseUnable(error: unknown): boolean {
  const { name, code, message, errno }: Failure = Object(error);
  const { kind = '', originalCode = '' } = adapterCause(Object(error));
  if (isPassing(error) || PASSING.has(originalCode) || UNABLE.has(originalCode) || UNABLE.has(String(code)))
    return true;
  if (name === 'PrismaClientInitializationError' || PRISMA.test(String(code)) || KINDS.has(kind)) return true;
  // When the embedded database cannot write a file, WebAssembly throws only the error number.
  return WORDS_AT_WORK.test(String(message)) || typeof errno === 'number' || name === 'ExitStatus';
}

/** Whether a pooler has rejected a startup parameter. PgBouncer's text changed in version 1.20. */
export const isRejectedStartup = (error: unknown): boolean =>
  /unsupported (?:options )?startup parameter/.test(String(Object(error).message));

/** The database's message, before which Prisma prints the call site and blank lines. */
export const lastLine = (message: string): string => message.trim().split('\n').at(-1)?.trim() ?? '';

const SQLSTATES = new Set([...SERVER, ...UNABLE]);
const NO_RESPONSE = /timeout|timed out/i;
const NETWORK_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed']);

/** The cause for the log: `unreachable`, `timeout`, an SQLSTATE or another code. Undefined if the error is a bug. */
export function identifyDatabaseFailure(error: unknown): { cause: string; reason: string } | undefined {
  if (error instanceof TooLate) return { cause: 'timeout', reason: error.message };
  if (!isDatabaseUnable(error)) return undefined;
  const { name, code, message = '' }: Failure = Object(error);
  const { kind = '', originalCode, originalMessage } = adapterCause(Object(error));
  const reason = originalMessage ?? lastLine(String(message));
  const sqlState = originalCode ?? String(code);
  const isNetwork = PASSING.has(String(code)) || NETWORK_KINDS.has(kind) || WORDS.test(reason);
  if (SQLSTATES.has(sqlState)) return { cause: sqlState, reason };
  if (NO_RESPONSE.test(reason) || kind === 'SocketTimeout') return { cause: 'timeout', reason };
  if (isNetwork) return { cause: 'unreachable', reason };
  return { cause: String(code ?? name ?? 'unwritable'), reason };
}

/** The error of a database whose settings do not suit the service. Its message continues the database's name. */
export const unsuitable = (message: string) => Object.assign(new Error(message), { code: 'UNSUITABLE' as const });

/** An Error whose message can be displayed. Its code is `UNREACHABLE` if a retry may succeed. */
export function connectionFailure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  return isPassing(cause) ? Object.assign(error, { code: 'UNREACHABLE' as const }) : error;
}
