import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { addressOf as asBech32, bytesOf, prefixOf } from '../../cosmos/conversion/bech32.ts';
import { isMultisig, multisigKeys, readMultisignature, signedBy } from './multisig.ts';

const PREFIX = 'cosmos';

const ADDRESS_BYTES = 20;
const textBytes = (text: string) => new TextEncoder().encode(text);
const asAddress = (bytes: Uint8Array) => asBech32(PREFIX, bytes);

/** The address of a compressed secp256k1 public key (33 bytes), or of a multisig account's. */
export const addressOf = (publicKey: Uint8Array): string =>
  asAddress(isMultisig(publicKey) ? sha256(publicKey).slice(0, ADDRESS_BYTES) : ripemd160(sha256(publicKey)));

/** The address of an account that belongs to a module of the chain. It has no key. */
export const moduleAddress = (name: string): string =>
  asAddress(sha256(textBytes(name)).slice(0, ADDRESS_BYTES));

/** The bytes of a bech32 address of any chain. Throws for a wrong checksum. */
export function addressBytes(address: string): Uint8Array {
  const bytes = bytesOf(address);
  if (!bytes) throw new RangeError('not a bech32 address');
  return bytes;
}

/** What is wrong with an address, as a node words it; null if it is valid. */
export function addressError(address: string): string | null {
  const bytes = bytesOf(address);
  if (!bytes) return 'decoding bech32 failed: invalid checksum';
  const prefix = prefixOf(address);
  if (prefix !== PREFIX) return `invalid Bech32 prefix; expected ${PREFIX}, got ${prefix}`;
  return bytes.length === ADDRESS_BYTES ? null : `incorrect address length ${bytes.length}`;
}

/** Whether enough keys of a multisig account have signed, each of those that say so. */
function isSignedByEnough(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { threshold, keys } = multisigKeys(publicKey);
  const { bits, signatures } = readMultisignature(signature);
  const signers = signedBy(bits, keys.length);
  return (
    signers.length >= threshold &&
    signers.length === signatures.length &&
    signers.every((signer, i) =>
      secp256k1.verify(signatures[i] as Uint8Array, message, keys[signer] as Uint8Array),
    )
  );
}

/** Whether the signature is the key's, or the multisig account's, of the message's SHA-256, with a low `s`. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    if (isMultisig(publicKey)) return isSignedByEnough(publicKey, message, signature);
    return secp256k1.verify(signature, message, publicKey);
  } catch {
    // Thrown for a key that is no point of the curve, and for a signature that is not 64 bytes.
    return false;
  }
}

/** A public private key: it follows from the seed and the index. */
export function genesisKey(seed: number, place: number): { privateKey: Uint8Array; address: string } {
  const privateKey = sha256(textBytes(`sandbox chain, seed ${seed}, account ${place}`));
  return { privateKey, address: addressOf(secp256k1.getPublicKey(privateKey)) };
}
