import type { Account } from './events.ts';
import { addressError, addressOf, isSignedBy } from './keys.ts';
import {
  amountOf,
  areValidCoins,
  type Coin,
  coinsText,
  type Signature,
  signersOf,
  type Transaction,
  TransactionError,
} from './transaction.ts';

export const DENOM = 'uatom';
const FEE_FOR_10_000_GAS = 25n;
const MEMO_LIMIT = 256;

export type ChainView = {
  chainId: string;
  height: number;
  account(address: string): Account | null;
  balances(address: string): Coin[];
};

const reject = (code: TransactionError['code'], detail: string): never => {
  throw new TransactionError(code, detail);
};

/** A node checks the fee before it accepts a transaction. The fee is not checked again in a block. */
export function checkPrice({ fee, gas }: Transaction): void {
  const required = { denom: DENOM, amount: (BigInt(gas) * FEE_FOR_10_000_GAS + 9_999n) / 10_000n };
  if (amountOf(fee, DENOM) >= required.amount) return;
  reject(13, `insufficient fees; got: ${coinsText(fee)} required: ${coinsText([required])}`);
}

function checkContent({ sends, fee, memo, timeoutHeight, signatures }: Transaction, height: number): void {
  if (sends.length === 0) reject(18, 'must contain at least one message');
  for (const { from, to, amount } of sends) {
    const [sender, recipient] = [addressError(from), addressError(to)];
    if (sender) reject(7, `Invalid sender address (${sender})`);
    if (recipient) reject(7, `Invalid recipient address (${recipient})`);
    if (amount.length === 0 || !areValidCoins(amount)) reject(10, coinsText(amount));
  }
  if (!areValidCoins(fee)) reject(13, `invalid fee provided: ${coinsText(fee)}`);
  if (signatures.length === 0) reject(15, 'no signatures supplied');
  const signers = signersOf({ sends }).length;
  if (signatures.length !== signers) {
    reject(4, `wrong number of signers; expected ${signers}, got ${signatures.length}`);
  }
  if (timeoutHeight > 0 && height > timeoutHeight) {
    reject(30, `block height: ${height}, timeout height: ${timeoutHeight}`);
  }
  const size = Buffer.byteLength(memo);
  if (size > MEMO_LIMIT) reject(12, `maximum number of characters is ${MEMO_LIMIT} but received ${size} characters`);
}

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
export function checkUnsigned(transaction: Transaction, view: ChainView): void {
  checkContent(transaction, view.height);
  checkFunds(signersOf(transaction)[0] ?? '', transaction.fee, view);
}

/** Returns the signers, starting with the fee payer. Throws a TransactionError for an invalid transaction. */
export function check(transaction: Transaction, view: ChainView): Signer[] {
  checkUnsigned(transaction, view);
  const signers = signersOf(transaction);
  return transaction.signatures.map((signature, place) =>
    checkSignature(transaction, signature, { address: signers[place] ?? '', place }, view),
  );
}
