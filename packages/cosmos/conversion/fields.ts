import { NodeRejection } from '../exchange.ts';
import { isMembers, type Members, malformed } from '../parsers.ts';
import { bytesField, concat, EMPTY, textField, wholeField } from './protobuf.ts';

/*
 * Kinds of fields, and how three encodings write each: the JSON of protobuf, which a modern node answers with; amino
 * JSON, which the legacy interface has and wallets sign; and the bytes of protobuf, which a modern node takes. Amino
 * leaves out what is zero, unless the chain declares that it must not be: it is what was signed.
 */

export type Kind = {
  /** The value in amino JSON, of protobuf JSON; undefined where amino leaves it out. Throws `NodeFault`. */
  amino(value: unknown, what: string): unknown;
  /** The whole field in bytes, of amino JSON. Throws `NodeRejection` (422) that names what is wrong, not its value. */
  bytes(field: number, value: unknown, what: string): Uint8Array;
};

/** `aminoName` where amino has another name for it. */
export type Field = readonly [field: number, name: string, kind: Kind, aminoName?: string];

export const refusal = (what: string, wanted: string) =>
  new NodeRejection(422, `${what} must be ${wanted}, so it cannot be encoded for this node: send tx_bytes`);

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

export const text: Kind = {
  amino(value, what) {
    if (isAbsent(value) || value === '') return undefined;
    if (typeof value !== 'string') throw malformed(what);
    return value;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'string') throw refusal(what, 'a text');
    return textField(field, value);
  },
};

/** A whole number as text that is bytes of its digits: the SDK's `Int`, of 256 bits. Amino always has it. */
export const integer: Kind = {
  amino(value, what) {
    if (isAbsent(value) || value === '') return '0';
    if (typeof value !== 'string' || !/^-?\d{1,78}$/.test(value)) throw malformed(what);
    return value;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'string' || !/^-?\d{1,78}$/.test(value))
      throw refusal(what, 'a whole number as text');
    return textField(field, value);
  },
};

const WHOLE = /^-?\d{1,20}$/;

/** A whole number of 64 bits, text in either JSON. */
export const whole: Kind = {
  amino(value, what) {
    if (isAbsent(value)) return undefined;
    const digits = Number.isSafeInteger(value) ? String(value) : value;
    if (typeof digits !== 'string' || !WHOLE.test(digits)) throw malformed(what);
    return BigInt(digits) === 0n ? undefined : String(BigInt(digits));
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'string' || !WHOLE.test(value)) throw refusal(what, 'a whole number as text');
    return wholeField(field, BigInt(value));
  },
};

export const bool: Kind = {
  amino(value, what) {
    if (isAbsent(value) || value === false) return undefined;
    if (value !== true) throw malformed(what);
    return true;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'boolean') throw refusal(what, 'true or false');
    return wholeField(field, value ? 1n : 0n);
  },
};

/** Of protobuf JSON the name, of amino the number. */
export const choice = (...names: readonly string[]): Kind => ({
  amino(value, what) {
    if (isAbsent(value)) return undefined;
    const index = typeof value === 'string' ? names.indexOf(value) : value;
    if (typeof index !== 'number' || names[index] === undefined) throw malformed(what);
    return index === 0 ? undefined : index;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'number' || names[value] === undefined)
      throw refusal(what, `a number below ${names.length}`);
    return wholeField(field, BigInt(value));
  },
});

const DECIMAL = /^(-?)(\d{1,60})(?:\.(\d{1,18}))?$/;

/** The SDK's `Dec`: 18 decimals, whose bytes are the digits without the point. */
export const decimal: Kind = {
  amino(value, what) {
    if (isAbsent(value) || value === '') return undefined;
    if (typeof value !== 'string' || !DECIMAL.test(value)) throw malformed(what);
    return value;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    const [, sign = '', digits, fraction = ''] = (typeof value === 'string' && DECIMAL.exec(value)) || [];
    if (digits === undefined) throw refusal(what, 'a decimal number as text');
    return textField(field, `${sign}${BigInt(digits + fraction.padEnd(18, '0'))}`);
  },
};

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

const seconds = (whole: bigint, nanos: bigint) => concat(wholeField(1, whole), wholeField(2, nanos));

/** RFC 3339 in either JSON; amino has no zeros at the end of a fraction. */
export const timestamp: Kind = {
  amino(value, what) {
    if (isAbsent(value)) return undefined;
    const [, whole, fraction = ''] = (typeof value === 'string' && INSTANT.exec(value)) || [];
    if (whole === undefined) throw malformed(what);
    const digits = fraction.replace(/0+$/, '');
    return `${whole}${digits && `.${digits}`}Z`;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    const [, whole, fraction = ''] = (typeof value === 'string' && INSTANT.exec(value)) || [];
    const at = whole === undefined ? Number.NaN : Date.parse(`${whole}Z`);
    if (Number.isNaN(at)) throw refusal(what, 'an instant like 2024-01-31T12:00:00Z');
    return bytesField(field, seconds(BigInt(at / 1000), BigInt(fraction.padEnd(9, '0'))));
  },
};

const NANOS = 1_000_000_000n;
const DURATION = /^(-?\d{1,12})(?:\.(\d{1,9}))?s$/;

/** `1.5s` in protobuf JSON; nanoseconds, as text, in amino. */
export const duration: Kind = {
  amino(value, what) {
    if (isAbsent(value)) return '0';
    const [, whole, fraction = ''] = (typeof value === 'string' && DURATION.exec(value)) || [];
    if (whole === undefined) throw malformed(what);
    const nanos = BigInt(fraction.padEnd(9, '0'));
    return String(BigInt(whole) * NANOS + (whole.startsWith('-') ? -nanos : nanos));
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (typeof value !== 'string' || !WHOLE.test(value)) throw refusal(what, 'nanoseconds as text');
    return bytesField(field, seconds(BigInt(value) / NANOS, BigInt(value) % NANOS));
  },
};

/** The amino JSON of a message in protobuf JSON. */
export function aminoMembers(fields: readonly Field[], value: Members, what: string): Members {
  const entries = fields.map(([, name, kind, aminoName = name]) => [
    aminoName,
    kind.amino(value[name], `${what}.${name}`),
  ]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** The bytes of a message in amino JSON. A member that its type has not was signed and would be lost: it is refused. */
export function messageBytes(fields: readonly Field[], value: unknown, what: string): Uint8Array {
  if (!isMembers(value)) throw refusal(what, 'an object');
  const names = new Set(fields.map(([, name, , aminoName = name]) => aminoName));
  if (!Object.keys(value).every((name) => names.has(name)))
    throw refusal(what, `an object of ${[...names].join(', ')} alone`);
  return concat(
    ...fields.map(([field, name, kind, aminoName = name]) =>
      kind.bytes(field, value[aminoName], `${what}.${aminoName}`),
    ),
  );
}

/** A message within a message, which amino always has. */
export const nested = (...fields: readonly Field[]): Kind => ({
  amino(value, what) {
    if (!isAbsent(value) && !isMembers(value)) throw malformed(what);
    return aminoMembers(fields, value ?? {}, what);
  },
  bytes: (field, value, what) =>
    isAbsent(value) ? EMPTY : bytesField(field, messageBytes(fields, value, what)),
});

/** What may be left out altogether. */
export const optional = (kind: Kind): Kind => ({
  amino: (value, what) => (isAbsent(value) ? undefined : kind.amino(value, what)),
  bytes: kind.bytes,
});

/** What amino has although it is zero. */
export const always = (kind: Kind, zero: unknown): Kind => ({
  amino: (value, what) => kind.amino(value, what) ?? zero,
  bytes: kind.bytes,
});

/** More elements than a transaction can have. */
const MOST = 10_000;

/** A list; amino has an empty one too. */
export const many = (kind: Kind): Kind => ({
  amino(value, what) {
    if (isAbsent(value)) return [];
    if (!Array.isArray(value) || value.length > MOST) throw malformed(what);
    return value.map((one, i) => kind.amino(one, `${what}.${i}`) ?? '');
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    if (!Array.isArray(value) || value.length > MOST) throw refusal(what, 'a list');
    const elements = value.map((one, i) => {
      const place = `${what}.${i}`;
      if (isAbsent(one)) throw refusal(place, 'there');
      // As an element an empty text is there all the same.
      return kind === text && one === '' ? bytesField(field, EMPTY) : kind.bytes(field, one, place);
    });
    return concat(...elements);
  },
});

/** A list that amino leaves out when it is empty. */
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

export const coin = nested([1, 'denom', text], [2, 'amount', integer]);
export const coins = many(coin);
