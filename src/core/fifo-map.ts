/**
 * A map that holds so many entries at most: what came first goes first, used or not.
 * @param forgotten told of each value that makes room
 */
export function createFirstInFirstOut<Value>(most: number, forgotten: (value: Value) => void = () => undefined) {
  const entries = new Map<string, Value>();

  return {
    get: (key: string): Value | undefined => entries.get(key),
    has: (key: string): boolean => entries.has(key),
    entries: (): Iterable<[string, Value]> => entries,

    /** Takes a value out, and tells of it. */
    delete(key: string): void {
      const value = entries.get(key);
      if (entries.delete(key)) forgotten(value as Value);
    },

    /** A value in the place of another keeps its turn. */
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
