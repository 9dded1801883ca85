/** Holds up to `most` entries, and evicts the oldest, used or not. `forgotten` gets evicted and deleted values. */
export function createFirstInFirstOut<Value>(most: number, forgotten: (value: Value) => void = () => undefined) {
  const entries = new Map<string, Value>();

  return {
    get: (key: string): Value | undefined => entries.get(key),
    has: (key: string): boolean => entries.has(key),
    entries: (): Iterable<[string, Value]> => entries,

    delete(key: string): void {
      const value = entries.get(key);
      if (entries.delete(key)) forgotten(value as Value);
    },

    /** A replaced value keeps its position in the order. */
    set(key: string, value: Value): void {
      entries.set(key, value);
      if (entries.size <= most) return;
      for (const [first, oldest] of entries) {
        entries.delete(first);
        forgotten(oldest);
        return;
      }
    },
  };
}
