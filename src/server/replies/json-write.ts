import { createLongWork } from '#core/time-slicing';

/** A value whose text is longer than about this is written in pieces, with a turn of the loop between them. */
const PIECE = 64 * 1024;
/** What a value that is no text takes, about; in characters. */
const ANY = 8;

const writing = createLongWork();

/** What is left of so many characters when a value is written, about; it is not gone through when nothing is. */
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

/** The text of a value in pieces; `undefined` stands nowhere but as a member, where it is left out. */
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

/** What `JSON.stringify` writes of a JSON value, the loop held for some milliseconds at most. */
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
