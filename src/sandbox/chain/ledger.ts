import type { Coin } from './coin.ts';

type Entry = { height: number; denom: string; amount: bigint };

/** `entries` in the order of their heights; `spentAt`: the height of each transaction that it signed. */
type Account = {
  number: number;
  openedAt: number;
  publicKey: Uint8Array | null;
  entries: Entry[];
  spentAt: number[];
};

/** An account as of some height. `sequence`: how many of its transactions are in blocks. */
export type AccountState = { number: number; sequence: number; publicKey: Uint8Array | null };

/**
 * Who has what, at every height there was: nothing is overwritten, so that a node that lags sees what it would.
 * Heights come ascending.
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
    /** The caller has seen to it that there is enough. */
    debit: (address: string, coins: readonly Coin[], height: number) => add(address, coins, height, -1n),
    /** One more transaction of that account is in a block. */
    spend(address: string, publicKey: Uint8Array, height: number): void {
      const account = opened(address, height);
      account.publicKey = publicKey;
      account.spentAt.push(height);
    },
    /** Null for an account that was not yet there. */
    account(address: string, height: number): AccountState | null {
      const account = accounts.get(address);
      if (!account || account.openedAt > height) return null;
      const sequence = account.spentAt.filter((at) => at <= height).length;
      return { number: account.number, sequence, publicKey: sequence > 0 ? account.publicKey : null };
    },
    /** By denom; none that is nothing. */
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
