import type { LRUCache } from 'lru-cache';

/**
 * Evicts entries that no longer hold, the least recently used first: for caches of short-lived entries, which would
 * otherwise stay until the cache is full.
 */
export function evictStale<Value extends object>(
  cache: LRUCache<string, Value>,
  holds: (value: Value) => boolean,
): void {
  for (const key of cache.rkeys()) {
    const value = cache.peek(key);
    if (value !== undefined && holds(value)) return;
    cache.delete(key);
  }
}
