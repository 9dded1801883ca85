import type { Account } from './events.ts';
import { addressOf, isSignedBy } from './keys.ts';
import { amountOf, type Coin, type Signature, signersOf, type Transaction, TransactionError } from './transaction.ts';

export const DENOM = 'uatom';

export type ChainView = {
  chainId: string;
  account(address: string): Account | null;
  balances(address: string): Coin[];
};

const reject = (code: TransactionError['code'], detail: string): never => {
  throw new TransactionError(code, detail);
};

function checkFunds(payer: string, fee: readonly Coin[], view: ChainView): void {
  if (!view.account(payer)) reject(9, `fee payer address: ${payer} does not exist`);
  const balances = view.balances(payer);
  for (const { denom, amount } of fee) {
    const has = amountOf(balances, denom);
    if (has < amount) reject(5, `${has}${denom} is smaller than ${amount}${denom}`);
  }
}

export type Signer = { address: string; publicKey: Uint8Array; sequence: number };

function checkSignature(
  transaction: Transaction,
  signature: Signature,
  { address, place }: { address: string; place: number },
  view: ChainView,
): Signer {
  const account = view.account(address) ?? reject(9, `account ${address} does not exist`);
  const publicKey = signature.publicKey ?? account.publicKey ?? reject(8, 'PubKey not found');
  if (addressOf(publicKey) !== address) {
    reject(8, `pubKey does not match signer address ${address} with signer index: ${place}`);
  }
  const { number: accountNumber, sequence } = account;
  const isAmino = signature.mode === 'SIGN_MODE_LEGACY_AMINO_JSON';
  // The legacy interface's amino JSON has no sequence, so only the signature reveals a wrong sequence.
  if (signature.sequence !== null && signature.sequence !== sequence) {
    reject(32, `account sequence mismatch, expected ${sequence}, got ${signature.sequence}`);
  }
  const { chainId } = view;
  const signed = transaction.signBytes(signature, { chainId, accountNumber, sequence });
  if (!isSignedBy(publicKey, signed, signature.bytes)) {
    const numbers = `account number (${accountNumber})${isAmino ? `, sequence (${sequence})` : ''}`;
    reject(4, `signature verification failed; please verify ${numbers} and chain-id (${chainId})`);
  }
  return { address, publicKey, sequence };
}

/** Checks a transaction except its signatures, as a simulation does. */
export const checkUnsigned = (transaction: Transaction, view: ChainView): void =>
  checkFunds(signersOf(transaction)[0] ?? '', transaction.fee, view);

/** Returns the signers, starting with the fee payer. Throws a TransactionError for an invalid transaction. */
export function check(transaction: Transaction, view: ChainView): Signer[] {
  checkUnsigned(transaction, view);
  const signers = signersOf(transaction);
  const { length } = transaction.signatures;
  if (length !== signers.length) reject(4, `wrong number of signers; expected ${signers.length}, got ${length}`);
  return transaction.signatures.map((signature, place) =>
    checkSignature(transaction, signature, { address: signers[place] ?? '', place }, view),
  );
}
