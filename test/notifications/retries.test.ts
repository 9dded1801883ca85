import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import { GIVEN_UP_AFTER, retryDelay } from '#notifications/outbox';

/** The times of the attempts of a message that always fails, in ms after it was added. */
function attemptsOf(random: () => number): number[] {
  const at = [0];
  for (;;) {
    const last = at.at(-1) as number;
    const pause = retryDelay(at.length, last, random());
    if (pause === undefined) return at;
    at.push(last + pause);
  }
}

test('the first attempt is repeated well within 90 s', () => {
  expect(retryDelay(1, 0, 0)).toBe(30 * SECOND);
  expect(retryDelay(1, 0, 1)).toBeLessThanOrEqual(60 * SECOND);
});

test('a message that always fails is retried for 24 hours, with growing pauses, and then dropped', () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.infiniteStream(chance), (chances) => {
      const at = attemptsOf(() => chances.next().value as number);
      expect(at.length).toBeGreaterThan(10);
      expect(at.length).toBeLessThan(30);
      expect(at.at(-1)).toBeGreaterThanOrEqual(GIVEN_UP_AFTER);
      expect(at.at(-1)).toBeLessThan(GIVEN_UP_AFTER + 30 * SECOND);
      const pauses = at.slice(1, -1).map((time, i) => time - (at[i] as number));
      for (const [i, pause] of pauses.entries()) {
        expect(pause).toBeLessThanOrEqual(4.8 * HOUR);
        // Pauses of the maximum length differ only at random.
        if (pause < 4 * HOUR && i > 0) expect(pause).toBeGreaterThan(pauses[i - 1] as number);
      }
    }),
  );
});

test('a message that waited for longer than a day has one attempt', () => {
  expect(retryDelay(1, GIVEN_UP_AFTER, 0)).toBeUndefined();
});
