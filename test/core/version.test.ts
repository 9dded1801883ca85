import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAtLeast } from '#core/version';

const version = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99));
type Version = [major: number, minor: number, patch: number];

test('versions are compared by their parts, as numbers', () => {
  const number = ([major, minor, patch]: Version) => (major * 100 + minor) * 100 + patch;
  fc.assert(
    fc.property(version, version, (own, other) => {
      expect(isAtLeast(own.join('.'), other.join('.'))).toBe(number(own) >= number(other));
    }),
  );
});

test('a version has three numbers', () => {
  expect(() => isAtLeast('1.0', '1.0.0')).toThrow(RangeError);
  expect(() => isAtLeast('1.0.0', 'next')).toThrow(RangeError);
});
