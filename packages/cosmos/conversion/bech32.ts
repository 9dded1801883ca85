const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM = 6;
/** The longest that bech32 allows, in characters. */
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

/**
 * The same account under another prefix (BIP 173), such as that of a validator's operator; undefined for what is no
 * address. Its own checksum is not looked at.
 */
export function underPrefix(address: string, prefix: string): string | undefined {
  const end = address.lastIndexOf('1');
  const data = [...address.slice(end + 1)].map((character) => ALPHABET.indexOf(character));
  if (end < 1 || data.length <= CHECKSUM || data.includes(-1)) return undefined;
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const words = data.slice(0, -CHECKSUM);
  const sum = polymod([...expanded, ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31);
  return `${prefix}1${[...words, ...checksum].map((word) => ALPHABET[word]).join('')}`;
}

const FORM = /^([a-z][a-z0-9]*)1[02-9ac-hj-np-z]{7,}$/;

/** The prefix of an address with its checksum; undefined for what is none, of which nothing may come into a URL. */
export function prefixOf(address: string): string | undefined {
  const prefix = address.length <= LONGEST ? FORM.exec(address)?.[1] : undefined;
  return prefix !== undefined && underPrefix(address, prefix) === address ? prefix : undefined;
}
