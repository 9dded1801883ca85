import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SECOND } from '#core/clock';
import { createWorkingSet } from '#prices/series/working-set';
import { createTestClock } from '../../../fixtures/clock.ts';

function open(maxBytes: number) {
  const clock = createTestClock(0);
  const set = createWorkingSet({ clock, maxBytes });
  const dropped: string[] = [];
  const resident = (name: string, bytes: number) => ({
    usedAt: 0,
    bytes: () => bytes,
    drop: () => void dropped.push(name),
  });
  return { clock, set, dropped, resident };
}

test('evicts the least recently used first, and no more than necessary', () => {
  const { clock, set, dropped, resident } = open(100);
  const [a, b, c] = [resident('a', 40), resident('b', 40), resident('c', 60)];
  for (const one of [a, b, c, a]) {
    set.add(one);
    clock.advance(SECOND);
  }
  clock.advance(30 * SECOND);
  set.trim();
  expect(dropped).toEqual(['b']);
  expect(set.reading()).toEqual({ bytes: 100, maxBytes: 100 });
});

test('a series that was used less than 30 s ago stays, even beyond the limit', () => {
  const { clock, set, dropped, resident } = open(10);
  set.add(resident('a', 40));
  clock.advance(30 * SECOND - 1);
  set.trim();
  expect(dropped).toEqual([]);
  clock.advance(1);
  set.add(resident('b', 40));
  set.trim();
  expect(dropped).toEqual(['a']);
  expect(set.reading().bytes).toBe(40);
});

test('after a trim, the size is within the limit, except for recently used series', () => {
  const step = fc.record({ name: fc.integer({ min: 0, max: 9 }), after: fc.integer({ min: 0, max: 60 }) });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.nat(50), { minLength: 10, maxLength: 10 }),
      (steps, sizes) => {
        const { clock, set, dropped, resident } = open(100);
        const all = sizes.map((bytes, name) => resident(String(name), bytes));
        const usedAt = new Map<number, number>();
        for (const { name, after } of steps) {
          clock.advance(after * SECOND);
          set.add(all[name] as (typeof all)[number]);
          usedAt.set(name, clock.elapsed());
          dropped.length = 0;
          set.trim();
          for (const gone of dropped) {
            expect(clock.elapsed() - (usedAt.get(Number(gone)) ?? 0)).toBeGreaterThanOrEqual(30 * SECOND);
            usedAt.delete(Number(gone));
          }
          const recent = [...usedAt].filter(([, at]) => clock.elapsed() - at < 30 * SECOND);
          const recentBytes = recent.reduce((sum, [one]) => sum + (sizes[one] as number), 0);
          expect(set.reading().bytes).toBeLessThanOrEqual(Math.max(100, recentBytes));
        }
      },
    ),
  );
});
