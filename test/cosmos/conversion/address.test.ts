import { toBech32 } from '@cosmjs/encoding';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAddress, lowerCaseAddress, lowerCaseAddressesIn } from '#cosmos/conversion/bech32';

const address = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/), fc.uint8Array({ minLength: 1, maxLength: 32 }))
  .map(([prefix, bytes]) => toBech32(prefix, bytes, 200))
  .filter((text) => text.length <= 90);

test('accepts an address of any chain, and rejects it if a character is changed', () => {
  fc.assert(
    fc.property(address, fc.nat(), fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l'), (text, at, letter) => {
      expect(isAddress(text)).toBe(true);
      const i = text.lastIndexOf('1') + 1 + (at % (text.length - text.lastIndexOf('1') - 1));
      const changed = text.slice(0, i) + letter + text.slice(i + 1);
      expect(isAddress(changed)).toBe(changed === text);
    }),
  );
});

test('an address in upper case is that in lower case, and in mixed case is rejected', () => {
  fc.assert(
    fc.property(address, fc.nat(), (text, at) => {
      const upper = text.toUpperCase();
      expect(lowerCaseAddress(upper)).toBe(text);
      expect(lowerCaseAddress(text)).toBe(text);
      expect(lowerCaseAddressesIn(`transfer.recipient='${upper}' AND a.b='${text}'`)).toBe(
        `transfer.recipient='${text}' AND a.b='${text}'`,
      );
      const i = at % text.length;
      const mixed = upper.slice(0, i) + text.charAt(i) + upper.slice(i + 1);
      if (mixed !== upper && mixed !== text) expect(isAddress(lowerCaseAddress(mixed))).toBe(false);
    }),
  );
});

test('other words in upper case remain', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9A-F]{64}$/), (hash) => {
      expect(lowerCaseAddressesIn(`tx.hash='${hash}' AND message.action='SEND' OR x`)).toContain(hash);
    }),
  );
});

test('rejects characters with a meaning in a URL, even with a valid checksum', () => {
  for (const prefix of ['../../status', '..', '%2e%2e', 'a/b', 'a?b', 'http://evil', '#', 'KAVA']) {
    const text = toBech32(prefix.toLowerCase(), new Uint8Array(20));
    expect(isAddress(prefix === 'KAVA' ? text.toUpperCase() : text), prefix).toBe(false);
  }
});

test.each(['', 'kava1', '1qqqqqq', 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upm', '../../status', '\0'.repeat(10)])(
  'rejects %j',
  (text) => expect(isAddress(text)).toBe(false),
);

test('accepts an address from a recording', () => {
  expect(isAddress('kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn')).toBe(true);
});
