import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { isTransactionHash, txHashOf } from '#cosmos/transactions';

afterEach(() => vi.unstubAllGlobals());

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').toUpperCase();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('is the SHA-256 of the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const hash = await txHashOf(base64(bytes));
      expect(hash).toBe(expected(bytes));
      expect(isTransactionHash(hash)).toBe(true);
    }),
  );
});

test('is computed without a global WebCrypto, as in Node 18', async () => {
  vi.stubGlobal('crypto', undefined);
  expect(await txHashOf('CpAB')).toBe(expected(Buffer.from('CpAB', 'base64')));
});

test('rejects invalid base64', async () => {
  await expect(txHashOf('~~')).rejects.toThrow(RangeError);
});

test('accepts exactly 64 hex digits as a hash', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 60, maxLength: 68, unit: fc.constantFrom(...'0aAfFgG/.%\n') }), (text) => {
      const isHex = text.length === 64 && [...text].every((digit) => '0123456789abcdefABCDEF'.includes(digit));
      expect(isTransactionHash(text)).toBe(isHex);
    }),
  );
  expect(isTransactionHash(`${'A'.repeat(64)}\n`)).toBe(false);
});
