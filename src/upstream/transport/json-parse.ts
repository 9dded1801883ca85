import { setImmediate as nextTurn } from 'node:timers/promises';
import { cutJson, type JsonBounds, scanJson } from '#core/forms/json-shape';
import { createMutex } from '#core/mutex';

/** Longer texts (in characters) are parsed in pieces of about this length, with a turn of the event loop between. */
const PIECE = 64 * 1024;
/** Only one long text is parsed at a time: each of several would add a piece to every turn of the event loop. */
const inTurn = createMutex();
type Long = ReadonlyMap<number, number>;
const broken = () => new SyntaxError('invalid JSON');
const isBlank = (text: string) => /^[ \t\r\n]*$/.test(text);

/** Uses `defineProperty`, because assigning `__proto__` would set the prototype. */
function take(into: Record<string, unknown>, members: Record<string, unknown>): void {
  for (const name of Object.keys(members)) {
    const value = members[name];
    Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

async function parseLong(text: string, range: readonly [number, number], long: Long): Promise<unknown> {
  const [start, end] = range;
  const isList = text[start] === '[';
  if (text[end] !== (isList ? ']' : '}')) throw broken();
  const list: unknown[] = [];
  const members: Record<string, unknown> = {};
  let isOnly = true;
  for (const { from, thru, long: within } of cutJson(text, range, long, PIECE)) {
    const isBare = !within && isBlank(text.slice(from, thru + 1));
    if (isBare && !(isOnly && thru === end - 1)) throw broken();
    isOnly = false;
    if (!within) {
      const piece = text.slice(from, thru + 1);
      if (isList) for (const value of JSON.parse(`[${piece}]`)) list.push(value);
      else take(members, JSON.parse(`{${piece}}`));
      await nextTurn();
      continue;
    }
    const before = text.slice(from, within[0]);
    if (!isBlank(text.slice(within[1] + 1, thru + 1)) || (isList && !isBlank(before))) throw broken();
    const value = await parseLong(text, within, long);
    if (isList) list.push(value);
    else {
      const named = JSON.parse(`{${before}null}`) as Record<string, unknown>;
      for (const name of Object.keys(named)) named[name] = value;
      take(members, named);
    }
  }
  return isList ? list : members;
}

function longWithin(text: string, bounds: JsonBounds): Long {
  const { excess, long } = scanJson(text, bounds, PIECE);
  if (excess) throw new RangeError(`the JSON has too many ${excess === 'depth' ? 'levels' : 'values'}`);
  return long;
}

async function parseInPieces(text: string, bounds: JsonBounds): Promise<unknown> {
  const long = longWithin(text, bounds);
  await nextTurn();
  const start = /^[ \t\r\n]*/.exec(text)?.[0].length ?? 0;
  const end = long.get(start);
  if (end === undefined) return JSON.parse(text);
  if (!isBlank(text.slice(end + 1))) throw broken();
  return parseLong(text, [start, end], long);
}

/** Blocks the event loop for a few ms at a time. Rejects with `SyntaxError`, or with `RangeError` beyond the bounds. */
export async function parseJson(text: string, bounds: JsonBounds): Promise<unknown> {
  if (text.length > PIECE) return inTurn(() => parseInPieces(text, bounds));
  longWithin(text, bounds);
  return JSON.parse(text);
}
