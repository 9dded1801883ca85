import type { Coin } from './coin.ts';

type Entry = { height: number; denom: string; amount: bigint };

/** `entries` are sorted by height; `spentAt` has the height of each transaction that the account signed. */
type Account = {
  number: number;
  openedAt: number;
  publicKey: Uint8Array | null;
  entries: Entry[];
  spentAt: number[];
};

/** An account at a height. `sequence` is the number of its transactions in blocks. */
export type AccountState = { number: number; sequence: number; publicKey: Uint8Array | null };

/**
 * The balances at every height: nothing is overwritten, so that a lagging node sees the old state. Heights only
 * increase.
 */
export function createLedger() {
  const accounts = new Map<string, Account>();

  function opened(address: string, height: number): Account {
    const known = accounts.get(address);
    if (known) return known;
    const account = { number: accounts.size, openedAt: height, publicKey: null, entries: [], spentAt: [] };
    accounts.set(address, account);
    return account;
  }

  function add(address: string, coins: readonly Coin[], height: number, sign: 1n | -1n): void {
    const { entries } = opened(address, height);
    for (const { denom, amount } of coins) entries.push({ height, denom, amount: sign * amount });
  }

  return {
    /** Opens the account where it is new. */
    credit: (address: string, coins: readonly Coin[], height: number) => add(address, coins, height, 1n),
    /** The caller has checked the balance. */
    debit: (address: string, coins: readonly Coin[], height: number) => add(address, coins, height, -1n),
    /** Counts a transaction that the account signed. */
    spend(address: string, publicKey: Uint8Array, height: number): void {
      const account = opened(address, height);
      account.publicKey = publicKey;
      account.spentAt.push(height);
    },
    /** Null before the account was opened. */
    account(address: string, height: number): AccountState | null {
      const account = accounts.get(address);
      if (!account || account.openedAt > height) return null;
      const sequence = account.spentAt.filter((at) => at <= height).length;
      return { number: account.number, sequence, publicKey: sequence > 0 ? account.publicKey : null };
    },
    /** Sorted by denom, without zeros. */
    balances(address: string, height: number): Coin[] {
      const sums = new Map<string, bigint>();
      for (const entry of accounts.get(address)?.entries ?? []) {
        if (entry.height <= height) sums.set(entry.denom, (sums.get(entry.denom) ?? 0n) + entry.amount);
      }
      return [...sums]
        .filter(([, amount]) => amount > 0n)
        .map(([denom, amount]) => ({ denom, amount }))
        .sort((a, b) => (a.denom < b.denom ? -1 : 1));
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;
