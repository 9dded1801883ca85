import { createLongWork } from '#core/time-slicing';

/** A value longer than this, in characters, is written in pieces. The event loop runs between pieces. */
const PIECE = 64 * 1024;
/** The estimated length of a value that is not a string, in characters. */
const ANY = 8;

const writing = createLongWork();

/** Subtracts the estimated length of a value from `room`. Stops reading the value when nothing is left. */
function rest(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - ANY;
  let left = room - ANY;
  if (typeof value !== 'object' || value === null) return left;
  for (const name in value) {
    left = rest((value as Record<string, unknown>)[name], left - name.length);
    if (left < 0) break;
  }
  return left;
}

/** The JSON text of a value in pieces. `undefined` occurs only as a member, which is then omitted. */
function* pieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || rest(value, PIECE) >= 0) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  let mark = '';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += isList ? mark : `${mark}${JSON.stringify(name)}:`;
    mark = ',';
    for (const piece of pieces(member)) {
      text += piece;
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}${isList ? ']' : '}'}`;
}

/** Like `JSON.stringify` for JSON values, but blocks the event loop for a few milliseconds at most. */
export async function writeJson(value: unknown): Promise<string | Buffer> {
  if (rest(value, PIECE) >= 0) return JSON.stringify(value);
  return writing(async (yieldIfDue) => {
    const written: Buffer[] = [];
    for (const piece of pieces(value)) {
      written.push(Buffer.from(piece));
      await yieldIfDue();
    }
    return Buffer.concat(written);
  });
}
