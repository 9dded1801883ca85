import { isMembers, type Members, malformed } from '../parsers.ts';
import { type Field, fieldsOf, integer, isAbsent, type Kind, rejection, text } from './fields.ts';
import { bytesField, concat, EMPTY } from './protobuf.ts';

/* Kinds of fields that consist of others: messages and lists. */

export function aminoMembers(fields: readonly Field[], value: Members, what: string): Members {
  const entries = fields.map(([, name, kind, aminoName = name]) => [
    aminoName,
    kind.amino(value[name], `${what}.${name}`),
  ]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** Rejects unknown members, because the signature covers them but the bytes cannot contain them. */
export function withOnly(value: unknown, names: ReadonlySet<string>, what: string): Members {
  if (!isMembers(value)) throw rejection(what, 'an object');
  if (!Object.keys(value).every((name) => names.has(name)))
    throw rejection(what, `an object with only ${[...names].join(', ')}`);
  return value;
}

export function messageBytes(fields: readonly Field[], value: unknown, what: string): Uint8Array {
  const names = new Set(fields.map(([, name, , aminoName = name]) => aminoName));
  const members = withOnly(value, names, what);
  return concat(
    ...fields.map(([field, name, kind, aminoName = name]) =>
      kind.bytes(field, members[aminoName], `${what}.${aminoName}`),
    ),
  );
}

/** A nested message, which amino never omits. */
export const nested = (kinds: Readonly<Record<string, Kind>>): Kind => {
  const fields = fieldsOf(kinds);
  return {
    amino(value, what) {
      if (!isAbsent(value) && !isMembers(value)) throw malformed(what);
      return aminoMembers(fields, value ?? {}, what);
    },
    bytes: (field, value, what) => (isAbsent(value) ? EMPTY : bytesField(field, messageBytes(fields, value, what))),
  };
};

export const optional = (kind: Kind): Kind => ({
  amino: (value, what) => (isAbsent(value) ? undefined : kind.amino(value, what)),
  bytes: kind.bytes,
});

/** A field that amino includes even if it is zero. */
export const always = (kind: Kind, zero: unknown): Kind => ({
  amino: (value, what) => kind.amino(value, what) ?? zero,
  bytes: kind.bytes,
});

/** The maximum length of a list. No transaction contains a longer list. */
const MAX_ELEMENTS = 10_000;

/** A list, which amino includes even if it is empty. */
export const many = (kind: Kind): Kind => ({
  amino(value, what) {
    if (isAbsent(value)) return [];
    if (!Array.isArray(value) || value.length > MAX_ELEMENTS) throw malformed(what);
    return value.map((one, i) => kind.amino(one, `${what}.${i}`) ?? '');
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (!Array.isArray(value) || value.length > MAX_ELEMENTS) throw rejection(what, 'a list');
    const elements = value.map((one, i) => {
      const place = `${what}.${i}`;
      if (isAbsent(one)) throw rejection(place, 'present');
      // An empty string is a valid element, but `text` would omit it.
      return kind === text && one === '' ? bytesField(field, EMPTY) : kind.bytes(field, one, place);
    });
    return concat(...elements);
  },
});

/** A list that amino omits when it is empty. */
export const some = (kind: Kind): Kind => {
  const list = many(kind);
  return {
    amino(value, what) {
      const found = list.amino(value, what) as unknown[];
      return found.length === 0 ? undefined : found;
    },
    bytes: list.bytes,
  };
};

export const coin = nested({ denom: text, amount: integer });
export const coins = many(coin);
