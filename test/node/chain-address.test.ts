import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isChainAddress } from '#node/address';

const address = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/), fc.uint8Array({ minLength: 1, maxLength: 32 }))
  .map(([prefix, bytes]) => bech32.encode(prefix, bech32.toWords(bytes), false))
  .filter((text) => text.length <= 90);

test('an address of any chain is one, until a character of it is changed', () => {
  fc.assert(
    fc.property(
      address,
      fc.nat(),
      fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l'),
      (text, at, letter) => {
        expect(isChainAddress(text)).toBe(true);
        const i = text.lastIndexOf('1') + 1 + (at % (text.length - text.lastIndexOf('1') - 1));
        const changed = text.slice(0, i) + letter + text.slice(i + 1);
        expect(isChainAddress(changed)).toBe(changed === text);
      },
    ),
  );
});

test('what could mean something in a URL is none, even with a checksum', () => {
  const words = bech32.toWords(new Uint8Array(20));
  for (const prefix of ['../../status', '..', '%2e%2e', 'a/b', 'a?b', 'http://evil', '#', 'KAVA']) {
    const text = bech32.encode(prefix.toLowerCase(), words, false);
    expect(isChainAddress(prefix === 'KAVA' ? text.toUpperCase() : text), prefix).toBe(false);
  }
});

test.each([
  '',
  'kava1',
  '1qqqqqq',
  'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upm',
  '../../status',
  '\0'.repeat(10),
])('%j is none', (text) => expect(isChainAddress(text)).toBe(false));

test('one from a recording is one', () => {
  expect(isChainAddress('kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn')).toBe(true);
});
