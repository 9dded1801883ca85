import { expect, test } from 'vitest';
import { identifyDatabaseFailure, isDatabaseUnable } from '#database/unreachable';

/** A server error as Prisma reports it. */
const ofPrisma = (originalCode: string) => ({
  name: 'PrismaClientKnownRequestError',
  code: 'P2010',
  message: `Raw query failed. Code: ${originalCode}`,
  meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode } } },
});

test.each(['25006', '08P01', '42501', '53100', '57014', '57P01', '58030', '55P03', '53200'])(
  'error %s of the server means that the database is unavailable, from Prisma and from the driver',
  (code) => {
    expect(isDatabaseUnable(ofPrisma(code))).toBe(true);
    expect(isDatabaseUnable(Object.assign(new Error('no'), { code }))).toBe(true);
  },
);

test.each(['Query read timeout', 'timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])(
  'a driver error without a code means that the database is unavailable: %s',
  (message) => {
    expect(isDatabaseUnable(new Error(message))).toBe(true);
  },
);

test('a failed write of the embedded database means that it is unavailable, although the error has no message', () => {
  expect(isDatabaseUnable({ errno: 51 })).toBe(true);
});

test.each(['42601', '23505', '22P02', '42703'])('an invalid statement is a fault of the service: %s', (code) => {
  expect(isDatabaseUnable(ofPrisma(code))).toBe(false);
});

test('any other exception is a fault of the service', () => {
  expect(isDatabaseUnable(new TypeError('x is undefined'))).toBe(false);
  expect(isDatabaseUnable(undefined)).toBe(false);
});

const ofKind = (kind: string) => ({
  ...ofPrisma(''),
  message: "\nInvalid `prisma.$queryRaw()` invocation:\n\n\nCan't reach database server",
  meta: { driverAdapterError: { cause: { kind } } },
});

test.each<[string, unknown, string]>([
  ['a refused connection, from the driver', { code: 'ECONNREFUSED', message: 'connect' }, 'unreachable'],
  ['a refused connection, from Prisma', ofKind('DatabaseNotReachable'), 'unreachable'],
  ['a broken connection', new Error('Connection terminated unexpectedly'), 'unreachable'],
  ['a statement without a response', new Error('Query read timeout'), 'timeout'],
  ['a connection that cannot be established', new Error('Connection terminated due to connection timeout'), 'timeout'],
  ['a pool without a free connection', { code: 'P2024', message: 'Timed out fetching a connection' }, 'timeout'],
  ['a server error, from Prisma', ofPrisma('57P03'), '57P03'],
  [
    'a server error at the end of a transaction, from the adapter',
    { name: 'DriverAdapterError', cause: { kind: 'postgres', originalCode: '57P01' } },
    '57P01',
  ],
  ['a connection that broke in a transaction', new Error('Client has encountered a connection error'), 'unreachable'],
  ['a server error, from the driver', { code: '57P05', message: 'idle-session timeout' }, '57P05'],
  ['a file that cannot be written', { errno: 51 }, 'unwritable'],
])('the logged cause: %s', (_name, error, cause) => {
  expect(identifyDatabaseFailure(error)).toMatchObject({ cause });
});

test('the reason is the last line of the message', () => {
  expect(identifyDatabaseFailure(ofKind('DatabaseNotReachable'))?.reason).toBe("Can't reach database server");
});

test('a fault of the service has no database cause', () => {
  expect(identifyDatabaseFailure(ofPrisma('42601'))).toBeUndefined();
});
