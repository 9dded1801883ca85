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
