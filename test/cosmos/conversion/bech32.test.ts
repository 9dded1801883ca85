import { toBech32 } from '@cosmjs/encoding';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, bytesOf, prefixOf, underPrefix } from '#cosmos/conversion/bech32';

const prefix = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 32 });
const encode = (before: string, data: Uint8Array) => toBech32(before, data, 200);

test('encodes bytes like the reference library, and decodes them again', () => {
  fc.assert(
    fc.property(prefix, bytes, (one, data) => {
      expect(addressOf(one, data)).toBe(encode(one, data));
      expect(bytesOf(addressOf(one, data))).toEqual(data);
    }),
  );
});

test('another prefix gives the same address as the reference library', () => {
  fc.assert(
    fc.property(prefix, prefix, bytes, (one, other, data) => {
      expect(underPrefix(encode(one, data), other)).toBe(encode(other, data));
    }),
  );
});

test('returns the prefix of an address, unless a character is changed', () => {
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

test('returns no prefix for an invalid address', () => {
  for (const text of ['', '1', 'cosmos1', '../1qqqqqqqq', 'COSMOS1QQQQQQQQ', `cosmos1${'q'.repeat(200)}`, ' '])
    expect(prefixOf(text)).toBeUndefined();
});
