import type { BroadcastRequest } from '../../domain/cosmos/legacy-shapes.ts';
import { txHashOf } from '../../domain/cosmos/transaction-hash.ts';
import { QuotientError } from '../error.ts';
import { refuseSecret, refuseSecretMembers } from '../secrets.ts';

/** An amino transaction, signed: what `makeStdTx` of CosmJS gives. Legacy nodes alone take it. */
export type StdTx = {
  msg: readonly unknown[];
  fee: unknown;
  signatures: readonly unknown[];
  memo?: string;
};

/** A signed transaction: its bytes (`TxRaw`), the same in base64, or an amino `StdTx`. */
export type SignedTransaction = Uint8Array | string | StdTx;

/** A signature alone takes 64 bytes: what is shorter may be a key, and is no transaction. */
const SHORTEST = 65;
const CHUNK = 8192;

const invalid = (detail: string) => new QuotientError('invalid_request', detail);

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/** What base64 stands for, whatever white space is in it and whether or not it is filled up at its end. */
function bytesOf(text: string): string {
  try {
    return atob(text);
  } catch {
    throw invalid('a transaction is given as bytes, as their base64, or as an amino StdTx');
  }
}

/** Reads what is to be broadcast. Throws for what is no signed transaction; what was given is never repeated. */
export function readSigned(tx: SignedTransaction): Pick<BroadcastRequest, 'tx' | 'tx_bytes'> {
  if (tx instanceof Uint8Array || typeof tx === 'string') {
    refuseSecret('the transaction', tx);
    const text = typeof tx === 'string' ? btoa(bytesOf(tx)) : base64(tx);
    if (bytesOf(text).length < SHORTEST) {
      throw invalid('that is too short for a signed transaction; a key is never to be handed over');
    }
    return { tx_bytes: text };
  }
  if (typeof tx !== 'object' || tx === null) throw invalid('there is no transaction');
  refuseSecretMembers('the transaction', tx);
  if (!Array.isArray(tx.msg) || !Array.isArray(tx.signatures) || tx.signatures.length === 0) {
    throw invalid('an amino StdTx has msg, fee and signatures: sign it first');
  }
  return { tx };
}

/** The hash of a transaction that may have arrived; undefined where only its node can tell. */
export async function hashOf({ tx_bytes }: Pick<BroadcastRequest, 'tx_bytes'>): Promise<string | undefined> {
  return tx_bytes === undefined ? undefined : txHashOf(tx_bytes).catch(() => undefined);
}
