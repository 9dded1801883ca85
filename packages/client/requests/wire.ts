/** A record on the wire: the same with times as text. */
export type Wire<T> = T extends Date
  ? string
  : T extends object
    ? { [Member in keyof T]: Wire<T[Member]> }
    : T;

/** Throws if the text is no time. */
export function instant(text: string): Date {
  const date = new Date(text);
  if (typeof text !== 'string' || Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}

export const orNull = (text: string | null) => (text === null ? null : instant(text));

/** A record without times. Throws if it is none. */
export function object<T extends object>(wire: T): T {
  if (typeof wire !== 'object' || wire === null) throw new RangeError('not an object');
  return wire;
}
