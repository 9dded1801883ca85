import { decodeAminoPubkey, type MultisigThresholdPubkey } from '@cosmjs/amino';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { BinaryReader, BinaryWriter } from 'cosmjs-types/binary';
import { CompactBitArray } from 'cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig';
import { addressOf as asBech32, bytesOf, prefixOf } from '../../cosmos/conversion/bech32.ts';

const PREFIX = 'cosmos';
const ADDRESS_BYTES = 20;
const textBytes = (text: string) => new TextEncoder().encode(text);
const asAddress = (bytes: Uint8Array) => asBech32(PREFIX, bytes);

/** The address of a compressed secp256k1 key (33 bytes) or a multisig key. */
export const addressOf = (publicKey: Uint8Array): string =>
  asAddress(isMultisig(publicKey) ? sha256(publicKey).slice(0, ADDRESS_BYTES) : ripemd160(sha256(publicKey)));

export const moduleAddress = (name: string): string => asAddress(sha256(textBytes(name)).slice(0, ADDRESS_BYTES));

export function addressError(address: string): string | null {
  const bytes = bytesOf(address);
  if (!bytes) return 'decoding bech32 failed: invalid checksum';
  const prefix = prefixOf(address);
  if (prefix !== PREFIX) return `invalid Bech32 prefix; expected ${PREFIX}, got ${prefix}`;
  return bytes.length === ADDRESS_BYTES ? null : `incorrect address length ${bytes.length}`;
}

function isSignedByThreshold(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { threshold, keys } = multisigKeys(publicKey);
  const { bits, signatures } = readMultisignature(signature);
  const signers = signedBy(bits, keys.length);
  return (
    signers.length >= threshold &&
    signers.length === signatures.length &&
    signers.every((signer, i) => secp256k1.verify(signatures[i] as Uint8Array, message, keys[signer] as Uint8Array))
  );
}

/** The signature covers the SHA-256 of the message, and its `s` must be in the lower half of the range. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    if (isMultisig(publicKey)) return isSignedByThreshold(publicKey, message, signature);
    return secp256k1.verify(signature, message, publicKey);
  } catch {
    // The library throws if the key is not on the curve or the signature is not 64 bytes long.
    return false;
  }
}

/** The private key is not secret: it is derived from the seed and the index. */
export function genesisKey(seed: number, place: number): { privateKey: Uint8Array; address: string } {
  const privateKey = sha256(textBytes(`sandbox chain, seed ${seed}, account ${place}`));
  return { privateKey, address: addressOf(secp256k1.getPublicKey(privateKey)) };
}

/* Multisig keys and signatures are encoded in amino. A key's length distinguishes multisig keys from single keys. */

const SINGLE_KEY_BYTES = 33;
export const isMultisig = (publicKey: Uint8Array): boolean => publicKey.length !== SINGLE_KEY_BYTES;

export function multisigKeys(publicKey: Uint8Array): { threshold: number; keys: Uint8Array[] } {
  const { value } = decodeAminoPubkey(publicKey) as MultisigThresholdPubkey;
  const keys = value.pubkeys.map((key) => Uint8Array.from(Buffer.from(key.value, 'base64')));
  return { threshold: Number(value.threshold), keys };
}

type Multisignature = { bits: CompactBitArray; signatures: Uint8Array[] };

const field = (number: number) => (number << 3) | 2;

export function multisignatureBytes({ bits, signatures }: Multisignature): Uint8Array {
  const writer = new BinaryWriter().uint32(field(1)).bytes(CompactBitArray.encode(bits).finish());
  for (const signature of signatures) writer.uint32(field(2)).bytes(signature);
  return writer.finish();
}

export function readMultisignature(bytes: Uint8Array): Multisignature {
  const reader = new BinaryReader(bytes);
  let bits: CompactBitArray | undefined;
  const signatures: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(1)) bits = CompactBitArray.decode(reader.bytes());
    else if (tag === field(2)) signatures.push(reader.bytes());
    else throw new Error('a multisignature must have only fields 1 and 2');
  }
  if (!bits) throw new Error('a multisignature must have its bits');
  return { bits, signatures };
}

/** The indexes of the signing keys, in the order of the signatures. */
const signedBy = ({ elems }: CompactBitArray, keys: number): number[] =>
  Array.from({ length: keys }, (_, i) => i).filter((i) => ((elems[i >> 3] ?? 0) >> (7 - (i & 7))) & 1);
