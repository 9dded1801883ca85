import { type ChainView, check, type Signer } from './check.ts';
import { amountOf, type Coin } from './coin.ts';
import { type ChainEvent, feeEvents, sendEvents } from './events.ts';
import { moduleAddress } from './keys.ts';
import type { Ledger } from './ledger.ts';
import { TransactionRefusal } from './refusal.ts';
import { signersOf, type Transaction } from './transaction.ts';

/** A transaction in a block. `at` (Unix ms) is the block's time; `refusal` is null where all of it was done. */
export type Delivered = {
  hash: string;
  transaction: Transaction;
  height: number;
  at: number;
  refusal: TransactionRefusal | null;
  gasUsed: number;
  /** Those of the fee, and then, where it was done, those of each message. */
  feeEvents: ChainEvent[];
  messageEvents: ChainEvent[][];
  /** The number of each signer's transaction, in the order of the signatures. */
  sequences: number[];
};

export const FEE_COLLECTOR = moduleAddress('fee_collector');

const gasUsed = ({ sends, size }: Transaction): number => 42_000 + 14_000 * sends.length + 10 * size;

/** All of the sends, or a refusal and none of them. */
function transfer({ sends }: Transaction, ledger: Ledger, height: number): void {
  const has = new Map<string, bigint>();
  const purse = (address: string, denom: string) => `${address} ${denom}`;
  const holding = (address: string, denom: string) =>
    has.get(purse(address, denom)) ?? amountOf(ledger.balances(address, height), denom);
  for (const [place, { from, to, amount }] of sends.entries()) {
    for (const { denom, amount: wanted } of amount) {
      const spendable = holding(from, denom);
      if (spendable < wanted) {
        const shortage = `${spendable}${denom} is smaller than ${wanted}${denom}`;
        throw new TransactionRefusal(5, `failed to execute message; message index: ${place}: ${shortage}`);
      }
      has.set(purse(from, denom), spendable - wanted);
      has.set(purse(to, denom), holding(to, denom) + wanted);
    }
  }
  for (const { from, to, amount } of sends) {
    ledger.debit(from, amount, height);
    ledger.credit(to, amount, height);
  }
}

function execute(transaction: Transaction, used: number, ledger: Ledger, height: number) {
  try {
    const { gas } = transaction;
    if (used > gas) {
      throw new TransactionRefusal(
        11,
        `out of gas in location: WriteFlat; gasWanted: ${gas}, gasUsed: ${used}`,
      );
    }
    transfer(transaction, ledger, height);
    return null;
  } catch (error) {
    if (error instanceof TransactionRefusal) return error;
    throw error;
  }
}

function takeFee(fee: readonly Coin[], [payer, ...others]: Signer[], ledger: Ledger, height: number): void {
  for (const signer of [payer, ...others]) {
    if (signer) ledger.spend(signer.address, signer.publicKey, height);
  }
  if (!payer || fee.length === 0) return;
  ledger.debit(payer.address, fee, height);
  ledger.credit(FEE_COLLECTOR, fee, height);
}

/**
 * Runs one transaction of a block. What no longer passes the check leaves nothing behind; past it the fee is taken
 * and the sequence counted, also where a message fails.
 */
export function deliver(
  { hash, transaction }: { hash: string; transaction: Transaction },
  { height, at }: { height: number; at: number },
  ledger: Ledger,
  view: ChainView,
): Delivered {
  const record = { hash, transaction, height, at, feeEvents: [], messageEvents: [] };
  let signers: Signer[];
  try {
    signers = check(transaction, view);
  } catch (error) {
    if (!(error instanceof TransactionRefusal)) throw error;
    const sequences = signersOf(transaction).map((address) => view.account(address)?.sequence ?? 0);
    return { ...record, refusal: error, gasUsed: 0, sequences };
  }
  takeFee(transaction.fee, signers, ledger, height);
  const used = gasUsed(transaction);
  const refusal = execute(transaction, used, ledger, height);
  const sequences = signers.map(({ sequence }) => sequence);
  return {
    ...record,
    refusal,
    gasUsed: used,
    feeEvents: feeEvents(transaction, FEE_COLLECTOR, sequences),
    messageEvents: refusal ? [] : transaction.sends.map(sendEvents),
    sequences,
  };
}
