import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '#upstream/transport/json-parse';

const BOUNDS = { depth: 500, values: 1_000_000 };
/** Not reached by generated values: 2 × 3³ lists of 30,000. */
const BOUNDS_OF_GENERATED = { depth: 500, values: 2_000_000 };
/** Longer than one parsed slice. */
const LONG = 'x"\\é'.repeat(20_000);

/** Values that are large enough in some places to be parsed in slices, and within a limit. */
const longValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom<unknown>(LONG, 7, null, '', Array(30_000).fill(1), Array(9000).fill({ a: [] })),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', '1', '__proto__', 'b"', 'constructor'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const own = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'broken';
  }
};
const inPieces = (text: string) =>
  parseJson(text, BOUNDS_OF_GENERATED).then(
    (value) => ({ value }),
    (error) => {
      expect(error).toBeInstanceOf(SyntaxError);
      return 'broken';
    },
  );

describe('a long text', () => {
  test('is parsed to the same value as by JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(longValue, fc.constantFrom(undefined, 1), async (value, space) => {
        const text = JSON.stringify([value, LONG, value], undefined, space);
        expect(JSON.stringify(await inPieces(text))).toBe(JSON.stringify(own(text)));
      }),
      { numRuns: 40 },
    );
  });

  test('is rejected if JSON.parse rejects it', async () => {
    const sound = JSON.stringify({ a: Array(40_000).fill(1), b: { c: LONG, d: [LONG, [LONG]] }, e: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sound.length - 1),
        fc.constantFrom('', ',', ',,', ']', '}', '[', '"', ':', ' ', '1,'),
        async (place, put) => {
          // Near a structural character, where the text is split.
          const near = [sound.indexOf('],"b"'), sound.indexOf('"d":'), sound.lastIndexOf(']'), place];
          for (const at of near) {
            const text = sound.slice(0, at) + put + sound.slice(at + 1);
            expect(JSON.stringify(await inPieces(text))).toBe(JSON.stringify(own(text)));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

test.each([
  ['levels', `${'['.repeat(600)}${']'.repeat(600)}`],
  ['levels', `{"x":"${LONG}","y":${'['.repeat(600)}${']'.repeat(600)}}`],
  ['values', `[${'{},'.repeat(600_000)}{}]`],
])('too many %s are rejected before parsing', async (what, text) => {
  await expect(parseJson(text, BOUNDS)).rejects.toThrow(new RangeError(`the JSON has too many ${what}`));
});

test('a broken text does not prevent later texts from being parsed', async () => {
  const [broken, sound] = [`["${LONG}`, JSON.stringify([LONG])];
  const received = await Promise.all([inPieces(broken), inPieces(sound), inPieces(broken), inPieces(sound)]);
  expect(received.map((one) => one === 'broken')).toEqual([true, false, true, false]);
});
