import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from '#core/forms/json-shape';

const WIDE = { depth: 1000, values: 1_000_000 };

/** The nesting depth of a value, and the number of values in it. */
function measured(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const members = Object.values(value).map(measured);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: 1 + members.reduce((sum, { values }) => sum + values, 0),
  };
}

test('measures the nesting depth exactly, and counts every value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const { depth, values } = measured(value);
      expect(scanJson(text, { ...WIDE, depth }).excess).toBeUndefined();
      if (depth > 0) expect(scanJson(text, { ...WIDE, depth: depth - 1 }).excess).toBe('depth');
      expect(scanJson(text, { ...WIDE, values: values - 1 }).excess).toBe('values');
      expect(scanJson(text, { ...WIDE, values: 2 * values }).excess).toBeUndefined();
    }),
  );
});

test.each([
  ['brackets and commas in a string', '["[[[{{{,,,","\\"[[[","\\\\"]', 1, 3],
  ['an unterminated string', '["[[[[', 1, 2],
  ['nothing', '', 0, 1],
  ['unbalanced closing brackets', ']]]}}}', 0, 1],
])('%s', (_name, text, depth, values) => {
  expect(scanJson(text, { depth, values: values + 1 }).excess).toBeUndefined();
});

test('scans any text to its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'x') }), (text) => {
      const { excess, long } = scanJson(text, WIDE, 2);
      expect(excess).toBeUndefined();
      for (const [start, end] of long) expect(end - start).toBeGreaterThan(2);
    }),
  );
});
