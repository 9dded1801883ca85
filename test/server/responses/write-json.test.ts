import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeJson } from '#server/responses/write-json';

const LONG = 'x"\\é'.repeat(20_000);

test('writes the same text as JSON.stringify, however long it is', async () => {
  const part = fc.oneof(fc.jsonValue(), fc.constantFrom(LONG, Array(9000).fill({ a: [] })));
  await fc.assert(
    fc.asyncProperty(part, fc.array(part, { maxLength: 5 }), async (one, others) => {
      for (const value of [one, { one, left: undefined, others: { deep: [others, LONG] } }]) {
        expect(String(await writeJson(value))).toBe(JSON.stringify(value));
      }
    }),
    { numRuns: 40 },
  );
});
