import { toBase64 } from '../../cosmos/conversion/protobuf.ts';
import type { BroadcastRequest } from '../../cosmos/legacy-shapes.ts';
import { txHashOf } from '../../cosmos/transaction-hash.ts';
import { invalid } from '../core/error.ts';
import { refuseSecret, refuseSecretMembers } from '../core/secrets.ts';

/** A signed amino transaction, as made by `makeStdTx` of CosmJS; it is encoded for a modern node. */
export type StdTx = {
  msg: readonly unknown[];
  fee: unknown;
  signatures: readonly unknown[];
  memo?: string;
};

/** A signed transaction: its bytes (`TxRaw`), the same in base64, or an amino `StdTx`. */
export type SignedTransaction = Uint8Array | string | StdTx;

/** A signature alone has 64 bytes: anything shorter is no transaction and may be a key. */
const SHORTEST = 65;

/** Decodes base64, with or without padding and white space. */
function bytesOf(text: string): string {
  try {
    return atob(text);
  } catch {
    throw invalid('a transaction must be bytes, base64, or an amino StdTx');
  }
}

/** Reads a signed transaction. Throws if it is none; the error never repeats the input. */
export function readSigned(tx: SignedTransaction): Pick<BroadcastRequest, 'tx' | 'tx_bytes'> {
  if (tx instanceof Uint8Array || typeof tx === 'string') {
    refuseSecret('the transaction', tx);
    const text = typeof tx === 'string' ? btoa(bytesOf(tx)) : toBase64(tx);
    if (bytesOf(text).length < SHORTEST) {
      throw invalid('too short for a signed transaction; never pass a key');
    }
    return { tx_bytes: text };
  }
  if (typeof tx !== 'object' || tx === null) throw invalid('the transaction is missing');
  refuseSecretMembers('the transaction', tx);
  if (!Array.isArray(tx.msg) || !Array.isArray(tx.signatures) || tx.signatures.length === 0) {
    throw invalid('an amino StdTx has msg, fee and signatures: sign it first');
  }
  return { tx };
}

/** The hash of a transaction; undefined for amino, whose hash only the node knows. */
export async function hashOf({ tx_bytes }: Pick<BroadcastRequest, 'tx_bytes'>): Promise<string | undefined> {
  return tx_bytes === undefined ? undefined : txHashOf(tx_bytes).catch(() => undefined);
}
