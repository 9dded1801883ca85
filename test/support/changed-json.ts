/** Values that real sources have sent instead of a figure, a text, a list or an object. Undefined removes a member. */
export const WRONG_VALUES = [
  null,
  -1,
  0,
  1e300,
  'NaN',
  '∞',
  '',
  'unknown',
  true,
  [],
  {},
  [null],
  { value: 1 },
  undefined,
];

export type Place = readonly (string | number)[];

/** The places of all members and elements within a JSON value. */
export function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const place = [...at, Array.isArray(value) ? Number(name) : name];
    return [place, ...placesIn(part, place)];
  });
}

/** A copy in which one member or element has another value, or is missing. */
export function changedAt(value: unknown, [first, ...rest]: Place, wrong: unknown): unknown {
  if (first === undefined) return wrong;
  if (Array.isArray(value)) return value.map((one, place) => (place === first ? changedAt(one, rest, wrong) : one));
  const copy = { ...(value as Record<string, unknown>) };
  const part = changedAt(copy[first], rest, wrong);
  if (part === undefined) delete copy[first];
  else copy[first] = part;
  return copy;
}
