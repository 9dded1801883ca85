import { toBech32 } from '@cosmjs/encoding';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, bytesOf, prefixOf, underPrefix } from '#cosmos/conversion/bech32';

const prefix = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 32 });
const encode = (before: string, data: Uint8Array) => toBech32(before, data, 200);

test('bytes become the address that a library makes of them, and come back', () => {
  fc.assert(
    fc.property(prefix, bytes, (one, data) => {
      expect(addressOf(one, data)).toBe(encode(one, data));
      expect(bytesOf(addressOf(one, data))).toEqual(data);
    }),
  );
});

test('an account under another prefix is what a library makes of the same bytes', () => {
  fc.assert(
    fc.property(prefix, prefix, bytes, (one, other, data) => {
      expect(underPrefix(encode(one, data), other)).toBe(encode(other, data));
    }),
  );
});

test('an address has a prefix, and is invalid with any character changed', () => {
  fc.assert(
    fc.property(prefix, fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(), (one, data, at) => {
      const address = encode(one, data);
      expect(prefixOf(address)).toBe(one);
      const place = at % address.length;
      const changed = [...address];
      changed[place] = changed[place] === 'q' ? 'p' : 'q';
      expect(prefixOf(changed.join(''))).toBeUndefined();
    }),
  );
});

test('a text that is not an address has no prefix', () => {
  for (const text of ['', '1', 'cosmos1', '../1qqqqqqqq', 'COSMOS1QQQQQQQQ', `cosmos1${'q'.repeat(200)}`, ' '])
    expect(prefixOf(text)).toBeUndefined();
});
