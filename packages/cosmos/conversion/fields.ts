import { NodeRejection } from '../exchange.ts';
import { malformed } from '../parsers.ts';
import { bytesField, concat, EMPTY, textField, wholeField } from './protobuf.ts';

/*
 * Each kind of field has three encodings:
 *
 * - protobuf JSON, which modern nodes return
 * - amino JSON, which the legacy interface uses and wallets sign
 * - protobuf bytes, which modern nodes accept
 *
 * Amino omits zeros unless the chain declares otherwise. The signature covers exactly the fields that amino includes.
 */

export type Kind = {
  /** Converts protobuf JSON to amino JSON. Returns undefined if amino omits the value. Throws `NodeFault`. */
  amino(value: unknown, what: string): unknown;
  /** Encodes amino JSON as a field with its tag. Throws `NodeRejection` (422), which never contains the value. */
  bytes(field: number, value: unknown, what: string): Uint8Array;
};

/** `aminoName` is set if amino uses a different name. */
export type Field = readonly [field: number, name: string, kind: Kind, aminoName?: string];

export const fieldsOf = (kinds: Readonly<Record<string, Kind>>): Field[] =>
  Object.entries(kinds).map(([name, kind], place) => [place + 1, name, kind]);

export const rejection = (what: string, expected: string) =>
  new NodeRejection(422, `${what} must be ${expected} for this node; alternatively, send tx_bytes`);

export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** A kind without members. Both functions return undefined for an invalid value. Null from `amino` omits it. */
const scalar = (
  expected: string,
  amino: (value: unknown) => unknown,
  bytes: (field: number, value: unknown) => Uint8Array | undefined,
  absent?: string,
): Kind => ({
  amino(value, what) {
    if (isAbsent(value)) return absent;
    const read = amino(value);
    if (read === undefined) throw malformed(what);
    return read ?? undefined;
  },
  bytes(field, value, what) {
    if (isAbsent(value)) return EMPTY;
    const written = bytes(field, value);
    if (written === undefined) throw rejection(what, expected);
    return written;
  },
});

const matched = (pattern: RegExp, value: unknown): RegExpExecArray | undefined =>
  (typeof value === 'string' && pattern.exec(value)) || undefined;

const textBytes = (field: number, value: unknown) => (typeof value === 'string' ? textField(field, value) : undefined);
export const text = scalar('a string', (value) => (typeof value === 'string' ? value || null : undefined), textBytes);
const DIGITS = 'an integer as a string';
const INTEGER = /^-?\d{1,78}$/;

/** The SDK's `Int` of 256 bits, encoded as decimal digits. Amino never omits it. */
export const integer = scalar(
  DIGITS,
  (value) => (value === '' ? '0' : matched(INTEGER, value)?.[0]),
  (field, value) => matched(INTEGER, value) && textBytes(field, value),
  '0',
);

const WHOLE = /^-?\d{1,20}$/;

function wholeOf(value: unknown): bigint | undefined {
  const [digits] = matched(WHOLE, value) ?? [];
  return digits === undefined ? undefined : BigInt(digits);
}

/** A 64-bit integer, encoded as a string in both kinds of JSON. */
export const whole = scalar(
  DIGITS,
  (value) => {
    const integer = wholeOf(Number.isSafeInteger(value) ? String(value) : value);
    return integer === 0n ? null : integer?.toString();
  },
  (field, value) => {
    const integer = wholeOf(value);
    return integer === undefined ? undefined : wholeField(field, integer);
  },
);

export const bool = scalar(
  'true or false',
  (value) => (value === false ? null : value === true || undefined),
  (field, value) => (typeof value === 'boolean' ? wholeField(field, value ? 1n : 0n) : undefined),
);

/** An enum: a name in protobuf JSON, a number in amino JSON. */
export const choice = (...names: readonly string[]): Kind => {
  const isNumber = (value: unknown): value is number => typeof value === 'number' && names[value] !== undefined;
  return scalar(
    `a number below ${names.length}`,
    (value) => {
      const index = typeof value === 'string' ? names.indexOf(value) : value;
      return isNumber(index) ? index || null : undefined;
    },
    (field, value) => (isNumber(value) ? wholeField(field, BigInt(value)) : undefined),
  );
};

const DECIMAL = /^(-?)(\d{1,60})(?:\.(\d{1,18}))?$/;

/** The SDK's `Dec` with 18 decimal places, encoded as digits without the decimal point. */
export const decimal = scalar(
  'a decimal number as a string',
  (value) => (value === '' ? null : matched(DECIMAL, value)?.[0]),
  (field, value) => {
    const [, sign = '', digits, fraction = ''] = matched(DECIMAL, value) ?? [];
    if (digits === undefined) return undefined;
    return textField(field, `${sign}${BigInt(digits + fraction.padEnd(18, '0'))}`);
  },
);

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

const seconds = (whole: bigint, nanos: bigint) => concat(wholeField(1, whole), wholeField(2, nanos));

/** An instant, encoded as RFC 3339 in both kinds of JSON. Amino trims the fraction's trailing zeros. */
export const timestamp = scalar(
  'an instant like 2024-01-31T12:00:00Z',
  (value) => {
    const [, whole, fraction = ''] = matched(INSTANT, value) ?? [];
    const digits = fraction.replace(/0+$/, '');
    return whole && `${whole}${digits && `.${digits}`}Z`;
  },
  (field, value) => {
    const [, whole, fraction = ''] = matched(INSTANT, value) ?? [];
    const at = Date.parse(`${whole}Z`);
    if (Number.isNaN(at)) return undefined;
    return bytesField(field, seconds(BigInt(at / 1000), BigInt(fraction.padEnd(9, '0'))));
  },
);

const NANOS = 1_000_000_000n;
const DURATION = /^(-?\d{1,12})(?:\.(\d{1,9}))?s$/;

/** A duration: `1.5s` in protobuf JSON, and nanoseconds as a string in amino JSON. */
export const duration = scalar(
  'nanoseconds as a string',
  (value) => {
    const [, whole, fraction = ''] = matched(DURATION, value) ?? [];
    const nanos = BigInt(fraction.padEnd(9, '0'));
    return whole && String(BigInt(whole) * NANOS + (whole.startsWith('-') ? -nanos : nanos));
  },
  (field, value) => {
    const nanos = wholeOf(value);
    return nanos === undefined ? undefined : bytesField(field, seconds(nanos / NANOS, nanos % NANOS));
  },
  '0',
);
