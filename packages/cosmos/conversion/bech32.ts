import { count, isMembers, list, malformed, members, text } from '../parsers.ts';
import { type Kind, rejection } from './fields.ts';
import { anyMessage, bytesField, concat, EMPTY, fromBase64, readFields, toBase64, wholeField } from './protobuf.ts';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LENGTH = 6;
const MAX_LENGTH = 90;

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, of] of GENERATOR.entries()) if ((top >>> bit) & 1) sum ^= of;
  }
  return sum;
}

/** Converts groups of `from` bits to groups of `to` bits. The remaining bits are padded, or must be zeros. */
function regrouped(values: Iterable<number>, from: number, to: number, pads: boolean): number[] | undefined {
  const groups: number[] = [];
  let [rest, bits] = [0, 0];
  for (const value of values) {
    rest = (rest << from) | value;
    bits += from;
    while (bits >= to) {
      bits -= to;
      groups.push(rest >> bits);
      rest &= 2 ** bits - 1;
    }
  }
  if (!pads) return bits < from && rest === 0 ? groups : undefined;
  return bits > 0 ? [...groups, rest << (to - bits)] : groups;
}

function withChecksum(prefix: string, words: readonly number[]): string {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = polymod([...expanded, ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31);
  return `${prefix}1${[...words, ...checksum].map((word) => ALPHABET[word]).join('')}`;
}

export const addressOf = (prefix: string, bytes: Uint8Array): string =>
  withChecksum(prefix, regrouped(bytes, 8, 5, true) ?? []);

const wordsOf = (address: string) =>
  Array.from(address.slice(address.lastIndexOf('1') + 1, -CHECKSUM_LENGTH), (character) => ALPHABET.indexOf(character));

// The prefix has only letters and digits, which need no encoding in a URL.
const FORM = /^([a-z][a-z0-9]*)1[02-9ac-hj-np-z]{7,}$/;

/** The lower-case prefix of an address with a valid checksum; undefined for an invalid address. */
export function prefixOf(address: string): string | undefined {
  const prefix = address.length <= MAX_LENGTH ? FORM.exec(address)?.[1] : undefined;
  return prefix !== undefined && withChecksum(prefix, wordsOf(address)) === address ? prefix : undefined;
}

/** The same account under another prefix, such as `valoper`. The address must be valid. */
export const underPrefix = (address: string, prefix: string): string => withChecksum(prefix, wordsOf(address));

export function bytesOf(address: string): Uint8Array | undefined {
  const bytes = prefixOf(address) === undefined ? undefined : regrouped(wordsOf(address), 5, 8, false);
  return bytes && Uint8Array.from(bytes);
}

/** Converts an address to lower case, which nodes use. In QR codes, it may be entirely in upper case (BIP 173). */
export const lowerCaseAddress = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text);

/** Converts the addresses in a text to lower case. Other words in upper case, such as hashes, are not changed. */
export const lowerCaseAddressesIn = (text: string): string =>
  text.replace(/\b[A-Z0-9]{8,90}\b/g, (word) => {
    const address = word.toLowerCase();
    return isAddress(address) ? address : word;
  });

/** Whether a string is an address of any chain, with at least one byte. */
export const isAddress = (text: string): boolean => (bytesOf(text)?.length ?? 0) > 0;

/** A public key in amino JSON. The value of a multisig key contains a threshold and the keys. */
export type AminoKey = { type: string; value: unknown };

const SINGLE = [
  ['/cosmos.crypto.secp256k1.PubKey', 'tendermint/PubKeySecp256k1'],
  ['/cosmos.crypto.ed25519.PubKey', 'tendermint/PubKeyEd25519'],
  ['/cosmos.crypto.secp256r1.PubKey', 'cosmos-sdk/PubKeySecp256r1'],
  ['/ethermint.crypto.v1.ethsecp256k1.PubKey', 'ethermint/PubKeyEthSecp256k1'],
] as const;
const TO_AMINO = new Map<string, string>(SINGLE);
const TO_PROTOBUF = new Map<unknown, string>(SINGLE.map(([url, amino]) => [amino, url]));

const MULTISIG_URL = '/cosmos.crypto.multisig.LegacyAminoPubKey';
export const MULTISIG = 'tendermint/PubKeyMultisigThreshold';

const MAX_DEPTH = 4;
const MAX_KEYS = 100;

/** Converts a key from protobuf JSON; null if there is none. A key that amino does not know keeps its members. */
export function aminoKey(key: unknown, depth = 0): AminoKey | null {
  if (key === undefined || key === null) return null;
  const { '@type': type, ...rest } = members(key, 'public key');
  const url = text(type, 'type of the public key');
  const amino = TO_AMINO.get(url);
  if (amino !== undefined) {
    if (fromBase64(rest.key) === undefined) throw malformed('public key');
    return { type: amino, value: rest.key };
  }
  if (url !== MULTISIG_URL) return { type: url, value: rest };
  const threshold = count(rest.threshold, 'threshold', 9);
  if (depth === MAX_DEPTH) throw malformed('public key');
  const pubkeys = list(rest.public_keys, 'public keys', MAX_KEYS).map((one) => aminoKey(one, depth + 1));
  if (pubkeys.includes(null)) throw malformed('public key');
  return { type: MULTISIG, value: { threshold, pubkeys } };
}

/** Encodes a key from amino JSON as `google.protobuf.Any`. Throws `NodeRejection` (422). */
export function keyBytes(key: unknown, what: string, depth = 0): Uint8Array {
  const { type, value } = isMembers(key) ? key : {};
  const url = TO_PROTOBUF.get(type);
  if (url !== undefined) {
    const bytes = fromBase64(value);
    if (bytes === undefined) throw rejection(`${what}.value`, 'base64');
    return anyMessage(url, bytesField(1, bytes));
  }
  const { threshold, pubkeys } = type === MULTISIG && isMembers(value) ? value : {};
  if (!Array.isArray(pubkeys) || pubkeys.length > MAX_KEYS || depth === MAX_DEPTH)
    throw rejection(what, 'a public key of a known type');
  if (typeof threshold !== 'string' || !/^\d{1,9}$/.test(threshold))
    throw rejection(`${what}.threshold`, 'an integer as a string');
  const keys = pubkeys.map((one, i) => bytesField(2, keyBytes(one, `${what}.pubkeys.${i}`, depth + 1)));
  return anyMessage(MULTISIG_URL, concat(wholeField(1, BigInt(threshold)), ...keys));
}

export const publicKey: Kind = {
  amino: (value) => aminoKey(value) ?? undefined,
  bytes: (field, value, what) =>
    value === undefined || value === null ? EMPTY : bytesField(field, keyBytes(value, what)),
};

/* Multisignatures: amino encodes the bits and the signatures in one value. Protobuf encodes the bits in `mode_info`. */

/** `ModeInfo` of a signature by a single key. 127 is `SIGN_MODE_LEGACY_AMINO_JSON`. */
export const SINGLE_MODE = bytesField(1, wholeField(1, 127n));

const asBytes = (value: number | Uint8Array | undefined): Uint8Array | undefined =>
  value instanceof Uint8Array ? value : undefined;

/** Converts an amino multisignature to the protobuf `ModeInfo` and signature. Undefined if invalid. */
export function fromAmino(signature: Uint8Array): { mode: Uint8Array; signature: Uint8Array } | undefined {
  const fields = readFields(signature);
  const bits = asBytes(fields?.find(([field]) => field === 1)?.[1]);
  const signatures = fields?.filter(([field]) => field === 2).map(([, value]) => asBytes(value)) ?? [];
  if (bits === undefined || readFields(bits) === undefined || signatures.length === 0) return undefined;
  if (signatures.includes(undefined)) return undefined;
  const modes = signatures.map(() => bytesField(2, SINGLE_MODE));
  return {
    mode: bytesField(2, concat(bytesField(1, bits), ...modes)),
    signature: concat(...signatures.map((one) => bytesField(1, one ?? EMPTY))),
  };
}

/** Converts the `multi` of a `mode_info` and its signature (base64) to an amino signature (base64). */
export function toAmino(multi: unknown, signature: string): string {
  const { bitarray } = isMembers(multi) ? multi : {};
  const { extra_bits_stored: extra = 0, elems } = isMembers(bitarray) ? bitarray : {};
  const bits = fromBase64(elems);
  const fields = readFields(fromBase64(signature) ?? Uint8Array.of(0xff));
  const signatures = fields?.map(([field, value]) => (field === 1 ? asBytes(value) : undefined));
  const isWhole = typeof extra === 'number' && extra >= 0 && extra < 8 && Number.isInteger(extra);
  if (!isWhole || bits === undefined || signatures === undefined || signatures.includes(undefined))
    throw malformed('multisignature');
  const array = concat(wholeField(1, BigInt(extra)), bytesField(2, bits));
  return toBase64(concat(bytesField(1, array), ...signatures.map((one) => bytesField(2, one ?? EMPTY))));
}
