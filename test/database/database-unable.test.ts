import { expect, test } from 'vitest';
import { isDatabaseUnable } from '#database/unreachable';

/** As Prisma tells of an error that its adapter was given by the server. */
const ofPrisma = (originalCode: string) => ({
  name: 'PrismaClientKnownRequestError',
  code: 'P2010',
  message: `Raw query failed. Code: ${originalCode}`,
  meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode } } },
});

test.each(['25006', '42501', '53100', '57014', '57P01', '58030', '55P03', '53200'])(
  'that the server says %s is the state it is in, from Prisma and from the driver',
  (code) => {
    expect(isDatabaseUnable(ofPrisma(code))).toBe(true);
    expect(isDatabaseUnable(Object.assign(new Error('no'), { code }))).toBe(true);
  },
);

test.each([
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
])('so is what the driver says without a code: %s', (message) => {
  expect(isDatabaseUnable(new Error(message))).toBe(true);
});

test('so is a file that the embedded database could not write, which comes without words', () => {
  expect(isDatabaseUnable({ errno: 51 })).toBe(true);
});

test.each(['42601', '23505', '22P02', '42703'])(
  'a statement that is wrong is a fault of ours: %s',
  (code) => {
    expect(isDatabaseUnable(ofPrisma(code))).toBe(false);
  },
);

test('and so is whatever else is thrown', () => {
  expect(isDatabaseUnable(new TypeError('x is undefined'))).toBe(false);
  expect(isDatabaseUnable(undefined)).toBe(false);
});
