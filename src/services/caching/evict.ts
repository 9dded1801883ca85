import type { LRUCache } from 'lru-cache';

/**
 * Forgets what does not hold any more, beginning with what was not asked for the longest: for caches of things that
 * hold for a moment, which would else be kept for nothing until the cache is full.
 */
export function forgetStale<Value extends object>(
  cache: LRUCache<string, Value>,
  holds: (value: Value) => boolean,
): void {
  for (const key of cache.rkeys()) {
    const value = cache.peek(key);
    if (value !== undefined && holds(value)) return;
    cache.delete(key);
  }
}
