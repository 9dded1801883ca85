import { DAY } from '#core/clock';
import type { Fault } from '#sandbox/faults';

/**
 * - `malformed`: `wrong` replaces the item, or its member at the place `member` modulo the number of members
 * - `missing`, `doubled`: the response lacks the item, or contains it twice
 * - `shifted`: each time in the item is moved by `ms`
 * - `renamed`: the item has another name
 * - `outdated`: the item is 60 days old
 */
export type ItemFault =
  | { kind: 'malformed'; wrong: unknown; member?: number }
  | { kind: 'missing' | 'doubled' | 'renamed' | 'outdated' }
  | { kind: 'shifted'; ms: number };

/** Identifies an item: an element of a list, a member of a record by its name, or a line of a text. */
type IsItem = (value: unknown, name: string) => boolean;
/** A list or record as pairs. The name of a list element is its index. */
type Entry = readonly [name: string, value: unknown];

const OLD = 60 * DAY;

/** The names of members that contain times. The first element of a list can also be a time. */
const TIMES = /^0$|time|_at$|date|last_updated|previousRetarget/i;
const DATE = /^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/;

/** Moves a time in Unix seconds, Unix milliseconds or ISO 8601 by `ms`. Any other value is returned unchanged. */
function moved(value: unknown, ms: number): unknown {
  if (typeof value === 'string' && DATE.test(value)) {
    return new Date(Date.parse(value) + ms).toISOString().slice(0, value.length);
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  if (value > 1e12 && value < 1e13) return value + ms;
  return value > 1e9 && value < 1e10 ? value + Math.round(ms / 1000) : value;
}

function shifted(value: unknown, ms: number): unknown {
  if (typeof value === 'string') return value.replace(/\d{4}-\d\d-\d\d/, (date) => String(moved(date, ms)));
  return mapped(value, ([name, part]) => [[name, TIMES.test(name) ? moved(part, ms) : part]]);
}

/** Changes the first member that contains a name. Without one, the item's only name is its key in the record. */
function renamed(value: unknown): unknown {
  let isDone = false;
  return mapped(value, ([name, part]) => {
    if (isDone || typeof part !== 'string' || !/[a-z]/i.test(part) || DATE.test(part)) return [[name, part]];
    isDone = true;
    return [[name, `${part}X`]];
  });
}

function withMember(value: unknown, member: number, wrong: unknown): unknown {
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (size === 0) return wrong;
  let place = 0;
  return mapped(value, ([name, part]) => [[name, place++ === member % size ? wrong : part]]);
}

/** Changes the elements or members of a list or record. Any other value is returned unchanged. */
function mapped(value: unknown, change: (entry: Entry) => readonly Entry[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(change);
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

/** The entries that replace an item's entry. */
function faultyEntries([name, value]: Entry, fault: ItemFault): readonly Entry[] {
  switch (fault.kind) {
    case 'missing':
      return [];
    case 'doubled':
      return [
        [name, value],
        [`${name}2`, value],
      ];
    case 'renamed':
      return [[`${name}X`, renamed(value)]];
    case 'outdated':
      return [[name, shifted(value, -OLD)]];
    case 'shifted':
      return [[name, shifted(value, fault.ms)]];
    case 'malformed':
      return [[name, fault.member === undefined ? fault.wrong : withMember(value, fault.member, fault.wrong)]];
  }
}

/** Makes one item of a response faulty, wherever it occurs. All other items remain unchanged. */
export function itemFault(isItem: IsItem, fault: ItemFault): Extract<Fault, { kind: 'changed' }> {
  const change = (value: unknown): unknown =>
    mapped(value, ([name, part]) => (isItem(part, name) ? faultyEntries([name, part], fault) : [[name, change(part)]]));
  return {
    kind: 'changed',
    change: (body) =>
      typeof body === 'string' ? (change(body.split('\r\n')) as unknown[]).join('\r\n') : change(body),
  };
}
