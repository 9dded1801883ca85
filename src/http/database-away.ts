/** Prisma's codes for a server that cannot be reached, or has no connection to spare. */
const CODES = /^(P10\d\d|P2024|P2037|ECONNREFUSED|ECONNRESET)$/;
/** What Prisma's adapter calls the same where it has no code of its own for it. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** PostgreSQL's own: it is stopping, it crashed, it is starting, it has no connection to spare. */
const STATES = /^(57P01|57P02|57P03|53300)$/;
/** What the driver says without any code. */
const WORDS = /^(Connection terminated|timeout e(xpired|xceeded))/;

type Cause = { kind?: string; originalCode?: string };
type Failure = {
  name?: string;
  code?: string;
  message?: string;
  meta?: { driverAdapterError?: { cause?: Cause } };
};

/** Whether an error is about the way to the database, so that the same may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  const { name, code = '', message = '', meta }: Failure = Object(error);
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {};
  if (name === 'PrismaClientInitializationError' || CODES.test(code)) return true;
  return KINDS.has(kind) || STATES.test(originalCode) || WORDS.test(message);
}
