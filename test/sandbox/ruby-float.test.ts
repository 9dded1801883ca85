import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rubyFloat } from '#sandbox/errors';

test.each([
  [21_000_000, '21000000.0'],
  [0, '0.0'],
  [-0, '-0.0'],
  [-3.5, '-3.5'],
  [0.0001, '0.0001'],
  [0.00003545, '3.545e-05'],
  [-2e-5, '-2.0e-05'],
  [1e16, '1.0e+16'],
])('%d is written as %s', (value, text) => {
  expect(JSON.stringify(rubyFloat(value))).toBe(text);
});

test('is parsed as the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(JSON.parse(JSON.stringify(rubyFloat(value)))).toBe(value);
    }),
  );
});
