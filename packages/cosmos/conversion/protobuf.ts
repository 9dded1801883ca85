/* The wire format of protobuf (https://protobuf.dev/programming-guides/encoding/). Zeros are omitted. */

export const EMPTY = new Uint8Array();

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Encodes a 64-bit integer. Negative numbers are encoded in two's complement. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

const tag = (field: number, wire: 0 | 2) => varint(BigInt(field * 8 + wire));

export const wholeField = (field: number, value: bigint): Uint8Array =>
  value === 0n ? EMPTY : concat(tag(field, 0), varint(value));

/** Encodes bytes or a message, even if empty. */
export const bytesField = (field: number, value: Uint8Array): Uint8Array =>
  concat(tag(field, 2), varint(BigInt(value.length)), value);

export const textField = (field: number, value: string): Uint8Array =>
  value === '' ? EMPTY : bytesField(field, new TextEncoder().encode(value));

export const anyMessage = (typeUrl: string, value: Uint8Array): Uint8Array =>
  concat(textField(1, typeUrl), value.length === 0 ? EMPTY : bytesField(2, value));

/** Returns undefined for an incomplete varint. */
function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  return undefined;
}

/** Decodes a message that contains only bytes and 32-bit integers. Returns undefined for any other message. */
export function readFields(bytes: Uint8Array): [field: number, value: number | Uint8Array][] | undefined {
  const found: [number, number | Uint8Array][] = [];
  for (let at = 0; at < bytes.length; ) {
    const key = readVarint(bytes, at);
    const value = key && readVarint(bytes, key.next);
    if (!key || !value) return undefined;
    const [field, wire] = [Math.floor(key.value / 8), key.value % 8];
    const end = wire === 2 ? value.next + value.value : value.next;
    if ((wire !== 0 && wire !== 2) || end > bytes.length) return undefined;
    found.push([field, wire === 0 ? value.value : bytes.subarray(value.next, end)]);
    at = end;
  }
  return found;
}

export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== 'string' || !BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Each character is an argument of `String.fromCharCode`, and engines limit the number of arguments. */
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
