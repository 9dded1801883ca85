import { type ChainView, check, checkUnsigned, type Signer } from './check-transaction.ts';
import { type ChainEvent, feeEvents, type Ledger, sendEvents } from './events.ts';
import { moduleAddress } from './keys.ts';
import { amountOf, type Coin, signersOf, type Transaction, TransactionError } from './transaction.ts';

export type Delivered = {
  hash: string;
  transaction: Transaction;
  height: number;
  at: number;
  failure: TransactionError | null;
  gasUsed: number;
  /** `messageEvents` is empty if the transaction failed. */
  feeEvents: ChainEvent[];
  messageEvents: ChainEvent[][];
  /** The signers' sequences, in the order of the signatures. */
  sequences: number[];
};

const FEE_COLLECTOR = moduleAddress('fee_collector');
const gasUsed = ({ sends, bytes }: Transaction): number => 42_000 + 14_000 * sends.length + 10 * bytes.length;

/** Executes all sends. If one is invalid, throws before executing any. */
function transfer({ sends }: Transaction, ledger: Ledger): void {
  const changed = new Map<string, bigint>();
  const balanceKey = (address: string, denom: string) => `${address} ${denom}`;
  const holding = (address: string, denom: string) =>
    changed.get(balanceKey(address, denom)) ?? amountOf(ledger.balances(address), denom);
  for (const [place, { from, to, amount }] of sends.entries()) {
    for (const { denom, amount: required } of amount) {
      const spendable = holding(from, denom);
      if (spendable < required) {
        const shortage = `${spendable}${denom} is smaller than ${required}${denom}`;
        throw new TransactionError(5, `failed to execute message; message index: ${place}: ${shortage}`);
      }
      changed.set(balanceKey(from, denom), spendable - required);
      changed.set(balanceKey(to, denom), holding(to, denom) + required);
    }
  }
  for (const { from, to, amount } of sends) {
    ledger.debit(from, amount);
    ledger.credit(to, amount);
  }
}

function execute(transaction: Transaction, used: number, ledger: Ledger) {
  try {
    const { gas } = transaction;
    if (used > gas) {
      throw new TransactionError(11, `out of gas in location: WriteFlat; gasWanted: ${gas}, gasUsed: ${used}`);
    }
    transfer(transaction, ledger);
    return null;
  } catch (error) {
    if (error instanceof TransactionError) return error;
    throw error;
  }
}

function takeFee(fee: readonly Coin[], signers: readonly Signer[], ledger: Ledger): void {
  for (const { address, publicKey } of signers) ledger.spend(address, publicKey);
  const [payer] = signers;
  if (!payer || fee.length === 0) return;
  ledger.debit(payer.address, fee);
  ledger.credit(FEE_COLLECTOR, fee);
}

/** The gas of a transaction without valid signatures, and its events. Changes nothing. Throws a TransactionError. */
export function simulate(transaction: Transaction, ledger: Ledger, view: ChainView) {
  checkUnsigned(transaction, view);
  transfer(transaction, { ...ledger, debit: () => {}, credit: () => {} });
  return { gasUsed: gasUsed(transaction), events: transaction.sends.flatMap(sendEvents) };
}

/** Executes a transaction in a block. Once the check has passed, the fee is charged even if a message fails. */
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
    if (!(error instanceof TransactionError)) throw error;
    const sequences = signersOf(transaction).map((address) => view.account(address)?.sequence ?? 0);
    return { ...record, failure: error, gasUsed: 0, sequences };
  }
  takeFee(transaction.fee, signers, ledger);
  const used = gasUsed(transaction);
  const failure = execute(transaction, used, ledger);
  const sequences = signers.map(({ sequence }) => sequence);
  return {
    ...record,
    failure,
    gasUsed: used,
    feeEvents: feeEvents(transaction, FEE_COLLECTOR, sequences),
    messageEvents: failure ? [] : transaction.sends.map(sendEvents),
    sequences,
  };
}
