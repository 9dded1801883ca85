import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FigureRules, sampleOf } from '#statistics/sources/source';
import { FIGURES, type Figure, tokenStatistics } from '#statistics/statistics-records';
import { digits, instant, numberOrNumericString, whole } from '#upstream/transport/json-response';

type Received = Partial<Record<Figure, number | null>>;
const RULES: FigureRules<Received> = Object.fromEntries(
  FIGURES.map((figure) => [figure, (received: Received) => received[figure]]),
);
const record = (received: Received) => sampleOf('somewhere', RULES, received, 1234567).figures;

describe('a sample', () => {
  test('of any numbers has only values that the published record allows, or is a failure', () => {
    const anything = fc.oneof(fc.double(), fc.integer(), fc.constant(0), fc.constant(null));
    const received = fc.record(Object.fromEntries(FIGURES.map((figure) => [figure, anything])));
    fc.assert(
      fc.property(received, (values: Received) => {
        let figures: Received;
        try {
          figures = record(values);
        } catch (error) {
          expect(error).toMatchObject({
            upstream: 'somewhere',
            reason: expect.stringMatching(/unexpected|empty/),
          });
          return;
        }
        for (const [figure, value] of Object.entries(figures)) {
          expect(value).toBe(values[figure as Figure]);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(tokenStatistics.shape[figure as Figure].safeParse(value).success).toBe(true);
        }
      }),
    );
  });

  test('omits an impossible zero, and keeps a possible zero', () => {
    const zeros = { block_time: 0, current_supply: 0, hashrate: 0, difficulty: 0, new_addresses: 0 };
    expect(record(zeros)).toEqual({ new_addresses: 0 });
  });
});

describe('numbers in responses', () => {
  test('accepts a number and its text alike', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (value) => {
        expect(numberOrNumericString.parse(value)).toBe(value);
        expect(numberOrNumericString.parse(String(value))).toBe(Number(String(value)));
      }),
    );
  });

  test('reads an integer exactly, or rejects it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (value) => {
        const parsed = whole.safeParse(String(value));
        expect(parsed.success).toBe(value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER));
        if (parsed.success) expect(BigInt(parsed.data)).toBe(value);
      }),
    );
  });

  test('reads digits exactly at any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (value) => {
        expect(digits.parse(String(value))).toBe(value);
      }),
    );
  });

  test('reads a text that is not a number as null', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)),
        (text) => {
          for (const schema of [numberOrNumericString, whole, digits])
            expect(schema.safeParse(text).success).toBe(false);
        },
      ),
    );
    expect(numberOrNumericString.safeParse('1e999').success).toBe(false);
    expect(whole.safeParse('9'.repeat(400)).success).toBe(false);
  });

  test('accepts an instant only if a date can represent it', () => {
    expect(instant(1000).parse('1586440919')).toBe(1586440919000);
    for (const wrong of [0, -1, 1.5, 8.64e12 + 1, '9'.repeat(30)]) {
      expect(instant(1000).safeParse(wrong).success).toBe(false);
    }
  });
});
