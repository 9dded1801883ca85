import { sha256 } from '@noble/hashes/sha2.js';
import type { Coin } from './coin.ts';

/** The URL of the one type of message that the chain knows. */
export const SEND_TYPE = '/cosmos.bank.v1beta1.MsgSend';

export type Send = { from: string; to: string; amount: Coin[] };

export type SignMode = 'SIGN_MODE_DIRECT' | 'SIGN_MODE_LEGACY_AMINO_JSON';

/** `publicKey` is null if the chain is expected to know it, `sequence` if the encoding has none. */
export type Signature = {
  publicKey: Uint8Array | null;
  mode: SignMode;
  sequence: number | null;
  bytes: Uint8Array;
};

/** What is signed besides the transaction. */
export type SigningContext = { chainId: string; accountNumber: number; sequence: number };

/** A transaction of either encoding. `size` is that of the encoding, in bytes. */
export type Transaction = {
  sends: Send[];
  fee: Coin[];
  gas: number;
  memo: string;
  timeoutHeight: number;
  signatures: Signature[];
  size: number;
  /** The bytes that a signature of it signs. */
  signBytes(signature: Signature, context: SigningContext): Uint8Array;
};

/** The hash of a transaction: the SHA-256 of its bytes in upper-case hex. */
export const hashOf = (bytes: Uint8Array): string => Buffer.from(sha256(bytes)).toString('hex').toUpperCase();

/** The signers in the order of the signatures: each sender once. */
export const signersOf = ({ sends }: Pick<Transaction, 'sends'>): string[] => [
  ...new Set(sends.map(({ from }) => from)),
];
