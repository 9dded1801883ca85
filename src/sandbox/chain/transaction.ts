import { sha256 } from '@noble/hashes/sha2.js';
import type { Coin } from './coin.ts';

export type Send = { from: string; to: string; amount: Coin[] };

export type SignMode = 'SIGN_MODE_DIRECT' | 'SIGN_MODE_LEGACY_AMINO_JSON';

/** `publicKey` is null where the sender relies on the chain to know it, `sequence` where the encoding has none. */
export type Signature = {
  publicKey: Uint8Array | null;
  mode: SignMode;
  sequence: number | null;
  bytes: Uint8Array;
};

/** What a signer has to know of the chain beside the transaction. */
export type SigningPlace = { chainId: string; accountNumber: number; sequence: number };

/** A transaction, whichever encoding it came in. `size` in bytes of that encoding. */
export type Transaction = {
  sends: Send[];
  fee: Coin[];
  gas: number;
  memo: string;
  timeoutHeight: number;
  signatures: Signature[];
  size: number;
  /** The bytes that one of its signatures signs. */
  signBytes(signature: Signature, place: SigningPlace): Uint8Array;
};

/** The hash that a transaction is known by: upper-case hex of the SHA-256 of its bytes. */
export const hashOf = (bytes: Uint8Array): string => Buffer.from(sha256(bytes)).toString('hex').toUpperCase();

/** Who has to sign, in the order of the signatures: each sender once. */
export const signersOf = ({ sends }: Pick<Transaction, 'sends'>): string[] => [
  ...new Set(sends.map(({ from }) => from)),
];
