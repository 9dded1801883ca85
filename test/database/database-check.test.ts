import { expect, test } from 'vitest';
import { createCheck } from '#database/database-check';
import { createTestClock } from '../../fixtures/clock.ts';

test('many who ask at once make one check, whose outcome holds for a second of the clock', async () => {
  const clock = createTestClock('2026-05-15T14:00:00Z');
  const asked: PromiseWithResolvers<void>[] = [];
  const check = createCheck(() => {
    const one = Promise.withResolvers<void>();
    asked.push(one);
    return one.promise;
  }, clock);

  const first = Array.from({ length: 20 }, check);
  clock.advance(60_000);
  expect(check(), 'while one is under way').toBe(first[0]);
  expect(asked).toHaveLength(1);
  asked[0]?.reject(new Error('disk full'));
  for (const one of first) await expect(one).rejects.toMatchObject({ code: 'database_unavailable' });
  clock.advance(999);
  await expect(check()).rejects.toThrow();
  clock.advance(1);
  const second = check();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve();
  await expect(second).resolves.toBeUndefined();
});
