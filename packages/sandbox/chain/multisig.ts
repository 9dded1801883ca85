import { decodeAminoPubkey, type MultisigThresholdPubkey } from '@cosmjs/amino';
import { BinaryReader, BinaryWriter } from 'cosmjs-types/binary';
import { CompactBitArray } from 'cosmjs-types/cosmos/crypto/multisig/v1beta1/multisig';

/** Multisig keys are in amino's encoding, and told by their length. Their signatures are amino's too. */

const SINGLE_KEY_BYTES = 33;

export const isMultisig = (publicKey: Uint8Array): boolean => publicKey.length !== SINGLE_KEY_BYTES;

/** The keys of a multisig account (33 bytes each), and how many must have signed. */
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

/** Throws for what is none. */
export function readMultisignature(bytes: Uint8Array): Multisignature {
  const reader = new BinaryReader(bytes);
  let bits: CompactBitArray | undefined;
  const signatures: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(1)) bits = CompactBitArray.decode(reader.bytes());
    else if (tag === field(2)) signatures.push(reader.bytes());
    else throw new Error('a multisignature has two fields');
  }
  if (!bits) throw new Error('a multisignature has its bits');
  return { bits, signatures };
}

/** Which of the keys have signed, in the order of the signatures. */
export const signedBy = ({ elems }: CompactBitArray, keys: number): number[] =>
  Array.from({ length: keys }, (_, i) => i).filter((i) => ((elems[i >> 3] ?? 0) >> (7 - (i & 7))) & 1);
