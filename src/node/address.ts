import { bech32 } from '@scure/base';

/** A prefix of letters and digits, and data in bech32's alphabet: nothing in it means anything in a URL. */
const FORM = /^[a-z][a-z0-9]*1[02-9ac-hj-np-z]{6,}$/;

/** The longest that bech32 allows (BIP 173), in characters. */
const LONGEST = 90;

/**
 * Whether a text is an address of some chain of the Cosmos SDK: bech32 with its checksum, in lower case, whatever the
 * prefix, with at least one byte in it.
 */
export function isChainAddress(text: string): boolean {
  if (text.length > LONGEST || !FORM.test(text)) return false;
  const decoded = bech32.decodeUnsafe(text as `${string}1${string}`, LONGEST);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  return bytes instanceof Uint8Array && bytes.length > 0;
}
