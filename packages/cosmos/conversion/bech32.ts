const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM = 6;
const LONGEST = 90;

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, of] of GENERATOR.entries()) if ((top >>> bit) & 1) sum ^= of;
  }
  return sum;
}

/** The groups of `from` bits as groups of `to` bits. What is left over is filled up with zeros, or else has to be zeros. */
function regrouped(values: Iterable<number>, from: number, to: number, fills: boolean): number[] | undefined {
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
  if (!fills) return bits < from && rest === 0 ? groups : undefined;
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
  Array.from(address.slice(address.lastIndexOf('1') + 1, -CHECKSUM), (character) =>
    ALPHABET.indexOf(character),
  );

// Letters and digits alone: nothing of it means anything in a URL.
const FORM = /^([a-z][a-z0-9]*)1[02-9ac-hj-np-z]{7,}$/;

/** The prefix of an address with its checksum, in lower case; undefined for what is none. */
export function prefixOf(address: string): string | undefined {
  const prefix = address.length <= LONGEST ? FORM.exec(address)?.[1] : undefined;
  return prefix !== undefined && withChecksum(prefix, wordsOf(address)) === address ? prefix : undefined;
}

/** The same account under another prefix, such as that of a validator's operator. The address must be one. */
export const underPrefix = (address: string, prefix: string): string =>
  withChecksum(prefix, wordsOf(address));

/** The bytes of an address; undefined for what is none. */
export function bytesOf(address: string): Uint8Array | undefined {
  const bytes = prefixOf(address) === undefined ? undefined : regrouped(wordsOf(address), 5, 8, false);
  return bytes && Uint8Array.from(bytes);
}

/** Whether a text is an address of some chain: with at least one byte, whatever the prefix. */
export const isAddress = (text: string): boolean => (bytesOf(text)?.length ?? 0) > 0;
