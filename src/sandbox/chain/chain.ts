import { z } from 'zod';
import { type Clock, SECOND } from '../../domain/clock.ts';
import { type ChainView, check, checkPrice, DENOM } from './check.ts';
import { type Coin, coinSchema } from './coin.ts';
import { type Condition, satisfies } from './conditions.ts';
import { type Delivered, deliver } from './delivery.ts';
import { addressFault, genesisKey } from './keys.ts';
import { createLedger } from './ledger.ts';
import { TransactionRefusal } from './refusal.ts';
import { signersOf, type Transaction } from './transaction.ts';

const CHAIN_ID = 'sandbox-1';
const USUAL_BLOCK_MS = 6 * SECOND;
/** Block 1, so that the height follows from the clock. */
const LAUNCHED = Date.parse('2019-12-11T16:11:34Z');
const GENESIS_ACCOUNTS = 3;
const GENESIS_COINS: readonly Coin[] = [
  { denom: DENOM, amount: 1_000_000_000_000n },
  { denom: 'uphoton', amount: 250_000_000n },
];

export type BroadcastMode = 'sync' | 'async' | 'block';

/** What became of a broadcast: refused, waiting for a block, or in one. */
export type Verdict = { hash: string; refusal: TransactionRefusal | null; delivered: Delivered | null };

/**
 * A small chain that lives by the clock: a block every `blockMs` (six seconds), made when somebody looks. Its three
 * genesis accounts and their keys follow from the seed.
 */
export function createChain({
  seed,
  clock,
  blockMs = USUAL_BLOCK_MS,
}: {
  seed: number;
  clock: Clock;
  blockMs?: number | undefined;
}) {
  const ledger = createLedger();
  const accounts = Array.from({ length: GENESIS_ACCOUNTS }, (_, place) => genesisKey(seed, place));
  for (const { address } of accounts) ledger.credit(address, GENESIS_COINS, 0);

  const started = clock.now();
  const first = { height: Math.max(1, Math.floor((started - LAUNCHED) / USUAL_BLOCK_MS)), at: started };
  let { height, at: madeAt } = first;
  /** The blocks that the times of those behind them are counted from: the first, and each that was made at once. */
  const anchors = [first];
  let waiting: { hash: string; transaction: Transaction }[] = [];
  const delivered = new Map<string, Delivered>();

  function makeBlock(at: number): void {
    height += 1;
    madeAt = at;
    const block = { height, at };
    const held = waiting;
    waiting = [];
    for (const entry of held) delivered.set(entry.hash, deliver(entry, block, ledger, view(height)));
  }

  /** Makes the blocks whose time has come: the first takes all that waits, the others are empty. */
  function goOn(): void {
    const due = Math.floor((clock.now() - madeAt) / blockMs);
    if (due < 1) return;
    makeBlock(madeAt + blockMs);
    height += due - 1;
    madeAt += (due - 1) * blockMs;
  }

  const view = (at: number): ChainView => ({
    chainId: CHAIN_ID,
    height: at,
    account: (address) => ledger.account(address, at),
    balances: (address) => ledger.balances(address, at),
  });

  /** As it will be when those that wait have paid their fees: what a node checks a new transaction against. */
  function viewBehindWaiting(): ChainView {
    const now = view(height);
    return {
      ...now,
      account(address) {
        const account = now.account(address);
        const ahead = waiting.filter(({ transaction }) => signersOf(transaction).includes(address));
        return account && { ...account, sequence: account.sequence + ahead.length };
      },
      balances(address) {
        const fees = waiting.filter(({ transaction }) => signersOf(transaction)[0] === address);
        const owed = fees.flatMap(({ transaction }) => transaction.fee);
        return now.balances(address).map(({ denom, amount }) => ({
          denom,
          amount: owed.reduce((left, coin) => (coin.denom === denom ? left - coin.amount : left), amount),
        }));
      },
    };
  }

  /** Takes a transaction among those that wait. Throws a TransactionRefusal. */
  function admit(hash: string, read: () => Transaction): void {
    const transaction = read();
    checkPrice(transaction);
    check(transaction, viewBehindWaiting());
    waiting.push({ hash, transaction });
  }

  return {
    chainId: CHAIN_ID,
    denom: DENOM,
    /** Those with money from the start; 32 bytes of private key each, which are no secret. */
    accounts: accounts as readonly Readonly<(typeof accounts)[number]>[],

    /** The latest block, and its time (Unix ms). */
    latest(): { height: number; at: number } {
      goOn();
      return { height, at: madeAt };
    },
    /** The time (Unix ms) of a block. */
    timeOf(block: number): number {
      const anchor = anchors.findLast((each) => each.height <= block) ?? first;
      return anchor.at + (block - anchor.height) * blockMs;
    },

    account: ledger.account,
    balances: ledger.balances,

    /** A transaction in a block at or below `upTo`, or null. */
    transaction(hash: string, upTo: number): Delivered | null {
      goOn();
      const found = delivered.get(hash.toUpperCase());
      return found && found.height <= upTo ? found : null;
    },
    /** Oldest first. */
    search(conditions: readonly Condition[], upTo: number): Delivered[] {
      goOn();
      return [...delivered.values()].filter((each) => each.height <= upTo && satisfies(each, conditions));
    },

    /**
     * `read` gives the transaction, or throws a TransactionRefusal where the bytes are none. `async` answers before
     * it is checked, `sync` after that, and `block` has a block made at once instead of waiting for the next.
     */
    broadcast(hash: string, read: () => Transaction, mode: BroadcastMode): Verdict {
      goOn();
      const known = delivered.has(hash) || waiting.some((entry) => entry.hash === hash);
      if (known)
        return { hash, refusal: new TransactionRefusal(19, 'tx already exists in cache'), delivered: null };
      try {
        admit(hash, read);
      } catch (error) {
        if (!(error instanceof TransactionRefusal)) throw error;
        return { hash, refusal: mode === 'async' ? null : error, delivered: null };
      }
      if (mode === 'block') {
        makeBlock(clock.now());
        anchors.push({ height, at: madeAt });
      }
      return { hash, refusal: null, delivered: delivered.get(hash) ?? null };
    },

    /**
     * Coins from nowhere, at once, their amounts written as in JSON; the account is opened where there is none.
     * Throws where the address is none of this chain's, or a coin is none.
     */
    fund(address: string, coins: readonly z.input<typeof coinSchema>[]): void {
      const fault = addressFault(address);
      if (fault) throw new RangeError(fault);
      goOn();
      ledger.credit(address, z.array(coinSchema).parse(coins), height);
    },
  };
}

export type Chain = ReturnType<typeof createChain>;
