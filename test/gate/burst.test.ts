import { expect, test } from 'vitest';
import { createBurst } from '#gate/limits';

const START = Date.parse('2026-05-15T14:10:06Z');

/** Sends requests at one instant and returns the number of accepted requests. */
function passing(burst: ReturnType<typeof createBurst<number>>, user: number, now: number, requests: number): number {
  let passed = 0;
  for (let i = 0; i < requests; i++) {
    const isRefused = burst.isExceeded(user, now);
    try {
      burst.admitOrThrow(user, now);
      passed += 1;
      expect(isRefused).toBe(false);
    } catch (problem) {
      expect(isRefused).toBe(true);
      const message = 'The limit is 5 requests per second.';
      expect(problem).toMatchObject({ code: 'rate_limited', message, headers: { 'retry-after': '1' } });
    }
  }
  return passed;
}

test('accepts requests up to the limit, and as many after a second; rejects all others', () => {
  const [burst, user] = [createBurst<number>(5), 1];
  expect(passing(burst, user, START, 8)).toBe(5);
  expect(passing(burst, user, START + 200, 3)).toBe(1);
  expect(passing(burst, user, START + 1200, 8)).toBe(5);
  expect(passing(burst, 2, START + 1200, 8)).toBe(5);
});

test('accepts all requests if the limit is 0', () => {
  expect(passing(createBurst<number>(0), 1, START, 100)).toBe(100);
});

test('keeps limiting a user who has just reached the limit, regardless of other users', () => {
  const burst = createBurst<number>(5);
  burst.admitOrThrow(2, START);
  expect(passing(burst, 1, START + 900, 8)).toBe(5);
  burst.admitOrThrow(2, START + 1001);
  expect(passing(burst, 1, START + 1100, 8)).toBe(1);
});

test.each([[-3_600_000], [-1001], [-500], [3_600_000]])('locks no user out if the clock is set by %i ms', (step) => {
  const [burst, user] = [createBurst<number>(5), 1];
  expect(passing(burst, user, START, 8)).toBe(5);
  const [then, patience] = [START + step, step === -500 ? 1500 : 0];
  expect(passing(burst, user, then + patience, 8)).toBe(5);
  expect(passing(burst, user, then + patience + 400, 8)).toBe(2);
});

test('uses no memory for users who have been idle for seconds, and grants them no extra calls', () => {
  const burst = createBurst<number>(5);
  for (let user = 0; user < 1000; user++) burst.admitOrThrow(user, START);
  for (let pause = 0; pause < 3000; pause += 200) expect(passing(burst, 1, START + pause, 8)).toBe(pause ? 1 : 4);
  expect(burst.size()).toBeLessThanOrEqual(2);
});
