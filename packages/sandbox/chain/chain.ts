import { z } from 'zod';
import { SECOND, type Setting } from '../upstream.ts';
import { type ChainView, check, DENOM } from './check-transaction.ts';
import { type Delivered, deliver, simulate } from './deliver.ts';
import { createLedger } from './events.ts';
import { addressError, genesisKey } from './keys.ts';
import { type Condition, satisfies } from './search-conditions.ts';
import { type Coin, coinSchema, signersOf, type Transaction, TransactionError } from './transaction.ts';

const CHAIN_ID = 'sandbox-1';
const DEFAULT_BLOCK_MS = 6 * SECOND;
const LAUNCHED = Date.parse('2019-12-11T16:11:34Z');
const GENESIS_ACCOUNTS = 3;
const GENESIS_COINS: readonly Coin[] = [
  { denom: DENOM, amount: 1_000_000_000_000n },
  { denom: 'uphoton', amount: 250_000_000n },
];

export type BroadcastMode = 'sync' | 'async' | 'block';
export type BroadcastResult = { hash: string; failure: TransactionError | null; delivered: Delivered | null };

type Sent = { hash: string; transaction: Transaction };

function newChain({ seed, clock }: Setting, blockMs: number) {
  const ledger = createLedger();
  const accounts = Array.from({ length: GENESIS_ACCOUNTS }, (_, place) => genesisKey(seed, place));
  for (const { address } of accounts) ledger.credit(address, GENESIS_COINS);
  const madeAt = clock.now();
  return {
    clock,
    blockMs,
    ledger,
    accounts,
    view: { chainId: CHAIN_ID, account: ledger.account, balances: ledger.balances } satisfies ChainView,
    height: Math.max(1, Math.floor((madeAt - LAUNCHED) / DEFAULT_BLOCK_MS)),
    madeAt,
    mempool: [] as Sent[],
    delivered: new Map<string, Delivered>(),
  };
}
type State = ReturnType<typeof newChain>;

function makeBlock(chain: State, at: number): void {
  chain.height += 1;
  chain.madeAt = at;
  const { height, mempool, delivered, ledger, view } = chain;
  chain.mempool = [];
  for (const entry of mempool) delivered.set(entry.hash, deliver(entry, { height, at }, ledger, view));
}

/** Makes all blocks that are due. The first of them contains the whole mempool. The other blocks are empty. */
function makeDueBlocks(chain: State): void {
  const { clock, blockMs } = chain;
  const due = Math.floor((clock.now() - chain.madeAt) / blockMs);
  if (due < 1) return;
  makeBlock(chain, chain.madeAt + blockMs);
  chain.height += due - 1;
  chain.madeAt += (due - 1) * blockMs;
}

/** The state after the fees and sequences of the mempool, against which nodes check new transactions. */
const pendingView = ({ view, mempool }: State): ChainView => ({
  ...view,
  account(address) {
    const account = view.account(address);
    const ahead = mempool.filter(({ transaction }) => signersOf(transaction).includes(address));
    return account && { ...account, sequence: account.sequence + ahead.length };
  },
  balances(address) {
    const fees = mempool.filter(({ transaction }) => signersOf(transaction)[0] === address);
    const owed = fees.flatMap(({ transaction }) => transaction.fee);
    return view.balances(address).map(({ denom, amount }) => ({
      denom,
      amount: owed.reduce((left, coin) => (coin.denom === denom ? left - coin.amount : left), amount),
    }));
  },
});

function addToMempool(chain: State, hash: string, read: () => Transaction): void {
  const transaction = read();
  check(transaction, pendingView(chain));
  chain.mempool.push({ hash, transaction });
}

/** A chain that makes a block every `blockMs`. The seed determines the three genesis accounts and their keys. */
export function createChain(setting: Setting, blockMs = DEFAULT_BLOCK_MS) {
  const chain = newChain(setting, blockMs);
  const { clock, ledger, view, delivered } = chain;
  return {
    chainId: CHAIN_ID,
    denom: DENOM,
    /** The genesis accounts with their private keys (32 bytes), which anyone can derive from the seed. */
    accounts: chain.accounts as readonly Readonly<State['accounts'][number]>[],

    latest(): { height: number; at: number } {
      makeDueBlocks(chain);
      return { height: chain.height, at: chain.madeAt };
    },

    /** Assumes that every block was on time. `at` is in Unix ms. Returns undefined for a future block. */
    block(of: number): { height: number; at: number } | undefined {
      makeDueBlocks(chain);
      const { height, madeAt } = chain;
      return of >= 1 && of <= height ? { height: of, at: madeAt - (height - of) * blockMs } : undefined;
    },

    account: ledger.account,
    balances: ledger.balances,

    transaction(hash: string): Delivered | undefined {
      makeDueBlocks(chain);
      return delivered.get(hash.toUpperCase());
    },
    search(conditions: readonly Condition[]): Delivered[] {
      makeDueBlocks(chain);
      return [...delivered.values()].filter((each) => satisfies(each, conditions));
    },

    /** Executes a transaction without changing the chain. Throws a TransactionError. */
    simulate(read: () => Transaction) {
      makeDueBlocks(chain);
      return simulate(read(), ledger, view);
    },
    /** The transactions of a block. */
    transactionsAt: (of: number): Delivered[] => [...delivered.values()].filter((each) => each.height === of),

    /** `async` hides the outcome of the check, `sync` returns it, and `block` creates a block immediately. */
    broadcast(hash: string, read: () => Transaction, mode: BroadcastMode): BroadcastResult {
      makeDueBlocks(chain);
      const isReceived = delivered.has(hash) || chain.mempool.some((entry) => entry.hash === hash);
      if (isReceived) return { hash, failure: new TransactionError(19, 'tx already exists in cache'), delivered: null };
      try {
        addToMempool(chain, hash, read);
      } catch (error) {
        if (!(error instanceof TransactionError)) throw error;
        return { hash, failure: mode === 'async' ? null : error, delivered: null };
      }
      if (mode === 'block') makeBlock(chain, clock.now());
      return { hash, failure: null, delivered: delivered.get(hash) ?? null };
    },

    /** Credits new coins. Creates the account if needed. Throws for a foreign address or an invalid coin. */
    fund(address: string, coins: readonly z.input<typeof coinSchema>[]): void {
      const problem = addressError(address);
      if (problem) throw new RangeError(problem);
      makeDueBlocks(chain);
      ledger.credit(address, z.array(coinSchema).parse(coins));
    },
  };
}

export type Chain = ReturnType<typeof createChain>;
