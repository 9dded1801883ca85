import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';

export type Coin = { denom: string; amount: bigint };

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/;

/** In JSON, the amount is a string, because it may exceed the range of safe integers. */
export const coinSchema = z
  .object({ denom: z.string().regex(DENOM, 'invalid denom'), amount: z.string().regex(/^\d{1,78}$/) })
  .transform(({ denom, amount }): Coin => ({ denom, amount: BigInt(amount) }));

export const coinRecord = ({ denom, amount }: Coin) => ({ denom, amount: String(amount) });

/** The notation in events and errors: `500uatom,3uosmo`. */
export const coinsText = (coins: readonly Coin[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom}`).join(',');

export const amountOf = (coins: readonly Coin[], denom: string): bigint =>
  coins.reduce((sum, coin) => (coin.denom === denom ? sum + coin.amount : sum), 0n);

const REASONS = {
  2: 'tx parse error',
  4: 'unauthorized',
  5: 'insufficient funds',
  8: 'invalid pubkey',
  9: 'unknown address',
  10: 'invalid coins',
  11: 'out of gas',
  19: 'tx already in mempool',
  32: 'incorrect account sequence',
} as const;

type TransactionErrorCode = keyof typeof REASONS;

/** Legacy nodes return `detail`. Modern nodes return `message`, which contains the detail and the reason. */
export class TransactionError extends Error {
  readonly code: TransactionErrorCode;
  readonly detail: string;
  constructor(code: TransactionErrorCode, detail: string) {
    super(`${detail}: ${REASONS[code]}`);
    this.name = 'TransactionError';
    this.code = code;
    this.detail = detail;
  }
}

export const SEND_TYPE = '/cosmos.bank.v1beta1.MsgSend';

export type Send = { from: string; to: string; amount: Coin[] };
export type SignMode = 'SIGN_MODE_DIRECT' | 'SIGN_MODE_LEGACY_AMINO_JSON';

/** `publicKey` is null if the signer omits it. `sequence` is null if the encoding does not contain it. */
export type Signature = { publicKey: Uint8Array | null; mode: SignMode; sequence: number | null; bytes: Uint8Array };
export type SigningContext = { chainId: string; accountNumber: number; sequence: number };

/** `bytes` is the encoded transaction. */
export type Transaction = {
  sends: Send[];
  fee: Coin[];
  gas: number;
  memo: string;
  timeoutHeight: number;
  signatures: Signature[];
  bytes: Uint8Array;
  signBytes(signature: Signature, context: SigningContext): Uint8Array;
};

export const hashOf = (bytes: Uint8Array): string => Buffer.from(sha256(bytes)).toString('hex').toUpperCase();

/** The distinct senders, in the order of the signatures. */
export const signersOf = ({ sends }: Pick<Transaction, 'sends'>): string[] => [
  ...new Set(sends.map(({ from }) => from)),
];
