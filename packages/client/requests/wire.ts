/** A record on the wire: the same with times as text. */
export type Wire<T> = T extends Date
  ? string
  : T extends object
    ? { [Member in keyof T]: Wire<T[Member]> }
    : T;

/** Throws if the text is no time. */
export function instant(text: unknown): Date {
  const date = new Date(typeof text === 'string' ? text : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}

/** A record without times. Throws if it is none. */
export function object<T extends object>(wire: T): T {
  if (typeof wire !== 'object' || wire === null) throw new RangeError('not an object');
  return wire;
}

/** Reads a record: these members become `Date`, those of `nullable` unless null. Throws for another shape. */
export const record =
  <T extends object>(times: readonly (keyof T & string)[], nullable: typeof times = []) =>
  (wire: Wire<T>): T => {
    const members = object(wire as Record<string, unknown>);
    const read = times.map((name) => [name, instant(members[name])]);
    const orNull = nullable.map((name) => [name, members[name] === null ? null : instant(members[name])]);
    return { ...members, ...Object.fromEntries([...read, ...orNull]) } as T;
  };

/** Reads an array of what `read` reads one of. */
export const each =
  <W, T>(read: (wire: W) => T) =>
  (wire: readonly W[]): T[] =>
    wire.map((one) => read(one));
