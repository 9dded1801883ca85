import { amountOf, areSound, type Coin, coinsText } from './coin.ts';
import { addressFault, addressOf, isSignedBy } from './keys.ts';
import type { AccountState } from './ledger.ts';
import { TransactionRefusal } from './refusal.ts';
import { type Signature, signersOf, type Transaction } from './transaction.ts';

export const DENOM = 'uatom';

/** The price of gas that a node of this chain asks for, in the smallest unit for 10,000 gas. */
const FEE_FOR_10_000_GAS = 25n;
const MEMO_LIMIT = 256;

/** What a transaction is checked against: the chain as it is, or as it will be once what waits is in a block. */
export type ChainView = {
  chainId: string;
  height: number;
  account(address: string): AccountState | null;
  balances(address: string): Coin[];
};

const refuse = (code: TransactionRefusal['code'], detail: string): never => {
  throw new TransactionRefusal(code, detail);
};

/** What a node asks before it takes a transaction; a block that holds one does not ask it. */
export function checkPrice({ fee, gas }: Transaction): void {
  const required = { denom: DENOM, amount: (BigInt(gas) * FEE_FOR_10_000_GAS + 9_999n) / 10_000n };
  if (amountOf(fee, DENOM) >= required.amount) return;
  refuse(13, `insufficient fees; got: ${coinsText(fee)} required: ${coinsText([required])}`);
}

function checkContent({ sends, fee, memo, timeoutHeight, signatures }: Transaction, height: number): void {
  if (sends.length === 0) refuse(18, 'must contain at least one message');
  for (const { from, to, amount } of sends) {
    const [sender, recipient] = [addressFault(from), addressFault(to)];
    if (sender) refuse(7, `Invalid sender address (${sender})`);
    if (recipient) refuse(7, `Invalid recipient address (${recipient})`);
    if (amount.length === 0 || !areSound(amount)) refuse(10, coinsText(amount));
  }
  if (!areSound(fee)) refuse(13, `invalid fee provided: ${coinsText(fee)}`);
  if (signatures.length === 0) refuse(15, 'no signatures supplied');
  const signers = signersOf({ sends }).length;
  if (signatures.length !== signers) {
    refuse(4, `wrong number of signers; expected ${signers}, got ${signatures.length}`);
  }
  if (timeoutHeight > 0 && height > timeoutHeight) {
    refuse(30, `block height: ${height}, timeout height: ${timeoutHeight}`);
  }
  const size = Buffer.byteLength(memo);
  if (size > MEMO_LIMIT)
    refuse(12, `maximum number of characters is ${MEMO_LIMIT} but received ${size} characters`);
}

function checkFunds(payer: string, fee: readonly Coin[], view: ChainView): void {
  if (!view.account(payer)) refuse(9, `fee payer address: ${payer} does not exist`);
  const balances = view.balances(payer);
  for (const { denom, amount } of fee) {
    const has = amountOf(balances, denom);
    if (has < amount) refuse(5, `${has}${denom} is smaller than ${amount}${denom}`);
  }
}

export type Signer = { address: string; publicKey: Uint8Array; sequence: number };

function checkSignature(
  transaction: Transaction,
  signature: Signature,
  { address, place }: { address: string; place: number },
  view: ChainView,
): Signer {
  const account = view.account(address) ?? refuse(9, `account ${address} does not exist`);
  const publicKey = signature.publicKey ?? account.publicKey ?? refuse(8, 'PubKey not found');
  if (addressOf(publicKey) !== address) {
    refuse(8, `pubKey does not match signer address ${address} with signer index: ${place}`);
  }
  const { number: accountNumber, sequence } = account;
  const isAmino = signature.mode === 'SIGN_MODE_LEGACY_AMINO_JSON';
  // Amino JSON as posted to the old interface does not carry the number: there the signature alone tells.
  if (signature.sequence !== null && signature.sequence !== sequence) {
    refuse(32, `account sequence mismatch, expected ${sequence}, got ${signature.sequence}`);
  }
  const { chainId } = view;
  const signed = transaction.signBytes(signature, { chainId, accountNumber, sequence });
  if (!isSignedBy(publicKey, signed, signature.bytes)) {
    const numbers = `account number (${accountNumber})${isAmino ? `, sequence (${sequence})` : ''}`;
    refuse(4, `signature verification failed; please verify ${numbers} and chain-id (${chainId})`);
  }
  return { address, publicKey, sequence };
}

/**
 * What every transaction has to satisfy before its messages run; gives its signers, the one who pays the fee first.
 * Throws a TransactionRefusal.
 */
export function check(transaction: Transaction, view: ChainView): Signer[] {
  checkContent(transaction, view.height);
  const signers = signersOf(transaction);
  checkFunds(signers[0] ?? '', transaction.fee, view);
  return transaction.signatures.map((signature, place) =>
    checkSignature(transaction, signature, { address: signers[place] ?? '', place }, view),
  );
}
