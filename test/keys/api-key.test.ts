import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskApiKeys } from '#core/log';
import { hashApiKey, isApiKey, mintApiKey } from '#keys/api-key';
import { amount } from '../support/long.ts';

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const minted = fc.constantFrom('header' as const, 'url' as const).map(mintApiKey);

describe('a new API key', () => {
  test('has the documented form, is accepted, and is unique', () => {
    const keys = Array.from({ length: 1000 }, mintApiKey);
    for (const key of keys) {
      expect(key).toMatch(/^qt_[0-9A-Za-z]{38}$/);
      expect(isApiKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(1000);
    expect(new Set(keys.map((key) => key.slice(3, 11))).size).toBe(1000);
  });

  test('uses every character of the alphabet', () => {
    const drawn = new Set(Array.from({ length: 200 }, mintApiKey).flatMap((key) => [...key.slice(3, 35)]));
    expect([...drawn].sort()).toEqual([...BASE62].sort());
  });

  test('is stored as its SHA-256', () => {
    const key = mintApiKey();
    expect(hashApiKey(key)).toBe(createHash('sha256').update(key, 'utf8').digest('hex'));
  });
});

describe('a mistyped key is rejected', () => {
  test('with any one character replaced', () => {
    const key = mintApiKey();
    for (let place = 3; place < key.length; place++) {
      for (const letter of BASE62.filter((one) => one !== key[place])) {
        expect(isApiKey(key.slice(0, place) + letter + key.slice(place + 1))).toBe(false);
      }
    }
  });

  test('with any two characters swapped', () => {
    fc.assert(
      fc.property(minted, fc.nat(37), fc.nat(37), (key, a, b) => {
        const letters = [...key];
        [letters[3 + a], letters[3 + b]] = [letters[3 + b] as string, letters[3 + a] as string];
        const typed = letters.join('');
        expect(isApiKey(typed)).toBe(typed === key);
      }),
      { numRuns: amount(300, 5_000) },
    );
  });

  test.each([
    ['nothing', (_key: string) => ''],
    ['an extra character', (key: string) => `${key}0`],
    ['a missing character', (key: string) => key.slice(0, -1)],
    ['a different prefix', (key: string) => key.replace('qt_', 'qs_')],
    ['an upper-case prefix', (key: string) => key.replace('qt_', 'QT_')],
    ['a leading space', (key: string) => ` ${key}`],
    ['a trailing line feed', (key: string) => `${key}\n`],
    ['letters in the other case', (key: string) => `qt_${key.slice(3).toUpperCase()}x`],
    ['letters that are not ASCII', (key: string) => `${key.slice(0, -1)}é`],
  ])('%s', (_name, typed) => {
    expect(isApiKey(typed(mintApiKey()))).toBe(false);
  });
});

describe('masking', () => {
  test('removes every key from a text, and keeps all other text', () => {
    const between = fc.string().filter((text) => !/q[tu]_/.test(text));
    fc.assert(
      fc.property(fc.array(fc.tuple(between, minted), { minLength: 1, maxLength: 5 }), between, (parts, end) => {
        const text = parts.map(([before, key]) => before + key).join('') + end;
        const masked = maskApiKeys(text);
        for (const [, key] of parts) expect(masked).not.toContain(key);
        for (const [, key] of parts) expect(masked).not.toContain(key.slice(3, 35));
        expect(masked).toBe(`${parts.map(([before, key]) => `${before}${key.slice(0, 3)}***`).join('')}${end}`);
      }),
    );
  });

  test('removes text that has the form of a key, even if its checksum is wrong', () => {
    expect(maskApiKeys(`?api=qt_${'a'.repeat(38)}&x=1`)).toBe('?api=qt_***&x=1');
  });

  test('removes a key in base64, alone and before and after the colon of Basic credentials', () => {
    fc.assert(
      fc.property(minted, (key) => {
        for (const credentials of [key, `${key}:`, `:${key}`]) {
          const masked = maskApiKeys(`authorization: Basic ${btoa(credentials)}, and more`);
          expect(masked).toBe('authorization: Basic ***, and more');
        }
      }),
    );
  });

  test('does not change a text without a key', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/q[tu]_[0-9A-Za-z]{38}/.test(text));
        expect(maskApiKeys(text)).toBe(text);
      }),
    );
  });
});
