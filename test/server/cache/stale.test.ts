import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { evictStale } from '#server/cache/answer-cache';

it('forgets from the least used on, up to the first that holds', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (holding) => {
      const cache = new LRUCache<string, { holds: boolean }>({ maxSize: 100, sizeCalculation: () => 1 });
      for (const [i, holds] of holding.entries()) cache.set(String(i), { holds });
      evictStale(cache, ({ holds }) => holds);
      const first = holding.indexOf(true);
      const left = first < 0 ? [] : [...holding.keys()].slice(first).map(String);
      expect([...cache.rkeys()]).toEqual(left);
      expect(cache.calculatedSize).toBe(left.length);
    }),
  );
});
