import { expect, test } from 'vitest';
import { identifyDatabaseFailure, isDatabaseUnable } from '#database/unreachable';

/** An error of the server as Prisma reports it. */
const ofPrisma = (originalCode: string) => ({
  name: 'PrismaClientKnownRequestError',
  code: 'P2010',
  message: `Raw query failed. Code: ${originalCode}`,
  meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode } } },
});

test.each(['25006', '08P01', '42501', '53100', '57014', '57P01', '58030', '55P03', '53200'])(
  'that the server says %s is the state it is in, from Prisma and from the driver',
  (code) => {
    expect(isDatabaseUnable(ofPrisma(code))).toBe(true);
    expect(isDatabaseUnable(Object.assign(new Error('no'), { code }))).toBe(true);
  },
);

test.each(['Query read timeout', 'timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])(
  'so is what the driver says without a code: %s',
  (message) => {
    expect(isDatabaseUnable(new Error(message))).toBe(true);
  },
);

test('so is a file that the embedded database could not write, which comes without words', () => {
  expect(isDatabaseUnable({ errno: 51 })).toBe(true);
});

test.each(['42601', '23505', '22P02', '42703'])('a statement that is wrong is a fault of ours: %s', (code) => {
  expect(isDatabaseUnable(ofPrisma(code))).toBe(false);
});

test('and so is whatever else is thrown', () => {
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
  ['a connection that was cut', new Error('Connection terminated unexpectedly'), 'unreachable'],
  ['a statement without an answer', new Error('Query read timeout'), 'timeout'],
  ['a connection that does not come about', new Error('Connection terminated due to connection timeout'), 'timeout'],
  ['a pool without a free connection', { code: 'P2024', message: 'Timed out fetching a connection' }, 'timeout'],
  ['what the server says, from Prisma', ofPrisma('57P03'), '57P03'],
  ['what the server says, from the driver', { code: '57P05', message: 'idle-session timeout' }, '57P05'],
  ['a file that cannot be written', { errno: 51 }, 'unwritable'],
])('the cause that the log names: %s', (_name, error, cause) => {
  expect(identifyDatabaseFailure(error)).toMatchObject({ cause });
});

test('the reason is the last line of what was said', () => {
  expect(identifyDatabaseFailure(ofKind('DatabaseNotReachable'))?.reason).toBe("Can't reach database server");
});

test('a fault of ours has no cause in the database', () => {
  expect(identifyDatabaseFailure(ofPrisma('42601'))).toBeUndefined();
});
