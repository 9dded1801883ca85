import { expect, test } from 'vitest';
import { createBurst } from '../../src/http/burst.ts';

const START = Date.parse('2026-05-15T14:10:06Z');

/** What becomes of so many requests at an instant: how many pass. */
function passing(
  burst: ReturnType<typeof createBurst>,
  holder: object,
  now: number,
  requests: number,
): number {
  let passed = 0;
  for (let i = 0; i < requests; i++) {
    const isRefused = burst.refuses(holder, now);
    try {
      burst.admit(holder, now);
      passed += 1;
      expect(isRefused).toBe(false);
    } catch (problem) {
      expect(isRefused).toBe(true);
      expect(problem).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '1' } });
    }
  }
  return passed;
}

test('so many pass at once, and as many again in the next second; what is refused is asked before or after alike', () => {
  const [burst, holder] = [createBurst(5), {}];
  expect(passing(burst, holder, START, 8)).toBe(5);
  expect(passing(burst, holder, START + 200, 3)).toBe(1);
  expect(passing(burst, holder, START + 1200, 8)).toBe(5);
  expect(passing(burst, {}, START + 1200, 8)).toBe(5);
});

test('a rate of 0 lets everything pass', () => {
  expect(passing(createBurst(0), {}, START, 100)).toBe(100);
});

test.each([[-3_600_000], [-1001], [-500], [3_600_000]])(
  'a clock that is set by %i ms locks nobody out',
  (step) => {
    const [burst, holder] = [createBurst(5), {}];
    expect(passing(burst, holder, START, 8)).toBe(5);
    const [then, patience] = [START + step, step === -500 ? 1500 : 0];
    expect(passing(burst, holder, then + patience, 8)).toBe(5);
    expect(passing(burst, holder, then + patience + 400, 8)).toBe(2);
  },
);
