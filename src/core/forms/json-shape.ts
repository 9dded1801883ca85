// Parsed JSON takes many times the memory of its text. JSON with more than a few thousand levels cannot be serialized.

/** `depth` limits nested objects and arrays; `values` limits the total number of values. */
export type JsonBounds = { depth: number; values: number };

type JsonShape = {
  excess: keyof JsonBounds | undefined;
  /** Maps the first offset to the last offset of each object or array that is longer than `longer`. */
  long: ReadonlyMap<number, number>;
};

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Counts each value by the bracket or comma before it, so an empty array counts twice. */
export function scanJson(text: string, { depth, values }: JsonBounds, longer = Number.POSITIVE_INFINITY): JsonShape {
  const open: number[] = [];
  const long = new Map<number, number>();
  let counted = 1;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) i = endOfString(text, i);
    else if (character === COMMA) counted += 1;
    else if (character === ARRAY || character === OBJECT) {
      counted += 1;
      if (open.push(i) > depth) return { excess: 'depth', long };
    } else if (character === ARRAY_END || character === OBJECT_END) {
      const start = open.pop() ?? i;
      if (i - start > longer) long.set(start, i);
    }
    if (counted > values) return { excess: 'values', long };
  }
  return { excess: undefined, long };
}

/** Cuts a long object or array at its commas into pieces of about `about` characters. No character is lost. */
export function* cutJson(
  text: string,
  [start, end]: readonly [start: number, end: number],
  long: ReadonlyMap<number, number>,
  about: number,
): Generator<{ from: number; thru: number; long?: readonly [number, number] }> {
  let from = start + 1;
  let member = from;
  let inside = 0;
  let found: readonly [number, number] | undefined;
  for (let i = from; i <= end; i++) {
    const character = text.charCodeAt(i);
    const endOfLong = inside === 0 ? long.get(i) : undefined;
    if (endOfLong !== undefined) {
      if (member > from) yield { from, thru: member - 2 };
      from = member;
      found = [i, endOfLong];
      i = endOfLong;
    } else if (character === QUOTE) i = endOfString(text, i);
    else if (character === ARRAY || character === OBJECT) inside += 1;
    else if (i < end && (character === ARRAY_END || character === OBJECT_END)) inside -= 1;
    else if (i === end || (character === COMMA && inside === 0)) {
      member = i + 1;
      if (i < end && !found && i - from < about) continue;
      yield found ? { from, thru: i - 1, long: found } : { from, thru: i - 1 };
      found = undefined;
      from = member;
    }
  }
}
