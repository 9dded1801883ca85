import { expect, test } from 'vitest';
import { identifyDatabaseFailure, isDatabaseUnable, isPassing } from '#database/connection/unreachable';

/** A server error as Prisma reports it. */
const ofPrisma = (originalCode: string, kind = 'postgres') => ({
  name: 'PrismaClientKnownRequestError',
  code: 'P2010',
  message: "\nInvalid `prisma.$queryRaw()` invocation:\n\n\nCan't reach database server",
  meta: { driverAdapterError: { cause: { kind, originalCode } } },
});
const ofDriver = (code: string, message = 'no') => Object.assign(new Error(message), { code });
/** The adapter reports errors at the end of a transaction itself. */
const ofAdapter = (originalCode: string) => ({
  name: 'DriverAdapterError',
  cause: { kind: 'postgres', originalCode },
});

test.each<[error: unknown, cause: string, isTemporary: boolean]>([
  [ofDriver('ECONNREFUSED', 'connect'), 'unreachable', true],
  [ofDriver('EAI_AGAIN', 'getaddrinfo'), 'unreachable', true],
  [ofPrisma('', 'DatabaseNotReachable'), 'unreachable', false],
  [new Error('Connection terminated unexpectedly'), 'unreachable', true],
  [new Error('Client has encountered a connection error'), 'unreachable', true],
  [new Error('Query read timeout'), 'timeout', true],
  [new Error('timeout exceeded when trying to connect'), 'timeout', true],
  [{ code: 'P2024', message: 'Timed out fetching a connection' }, 'timeout', false],
  [ofPrisma('57P03'), '57P03', false],
  [ofDriver('57P03'), '57P03', true],
  [ofDriver('53300'), '53300', true],
  [ofAdapter('57P01'), '57P01', false],
  [ofDriver('57P05', 'idle-session timeout'), '57P05', false],
  [ofPrisma('25006'), '25006', false],
  [ofDriver('42501'), '42501', false],
  [ofDriver('28P01'), '28P01', false],
  [ofPrisma('53100'), '53100', false],
  // A failed write of the embedded database has no message.
  [{ errno: 51 }, 'unwritable', false],
])('an error of the state of the database: %o is %s', (error, cause, isTemporary) => {
  expect(isDatabaseUnable(error)).toBe(true);
  expect(identifyDatabaseFailure(error)).toMatchObject({ cause });
  expect(isPassing(error)).toBe(isTemporary);
});

test.each([ofPrisma('42601'), ofPrisma('23505'), ofDriver('42703'), new TypeError('x is undefined'), undefined])(
  'a fault of the service has no database cause: %o',
  (error) => {
    expect(isDatabaseUnable(error)).toBe(false);
    expect(identifyDatabaseFailure(error)).toBeUndefined();
  },
);

test.each([
  ofDriver('DEPTH_ZERO_SELF_SIGNED_CERT'),
  new Error('SASL: client password must be a string'),
  new Error('The server does not support SSL connections'),
])('a retry does not help, because the operator must act: %o', (error) => {
  expect(isPassing(error)).toBe(false);
});

test('the reason is the last line of the message', () => {
  expect(identifyDatabaseFailure(ofPrisma('', 'DatabaseNotReachable'))?.reason).toBe("Can't reach database server");
});
