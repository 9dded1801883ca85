import type { Coin } from './coin.ts';

/** An account. `sequence` is the number of its transactions in blocks; the key is null before the first. */
export type Account = { number: number; sequence: number; publicKey: Uint8Array | null };

export function createLedger() {
  const accounts = new Map<string, Account & { balances: Map<string, bigint> }>();

  function add(address: string, coins: readonly Coin[], sign: 1n | -1n): void {
    const account = accounts.get(address) ?? {
      number: accounts.size,
      sequence: 0,
      publicKey: null,
      balances: new Map<string, bigint>(),
    };
    accounts.set(address, account);
    for (const { denom, amount } of coins) {
      account.balances.set(denom, (account.balances.get(denom) ?? 0n) + sign * amount);
    }
  }

  return {
    /** Opens the account if it is new. */
    credit: (address: string, coins: readonly Coin[]) => add(address, coins, 1n),
    /** The caller has checked the balance. */
    debit: (address: string, coins: readonly Coin[]) => add(address, coins, -1n),
    /** Counts a transaction that the account signed. */
    spend(address: string, publicKey: Uint8Array): void {
      const account = accounts.get(address);
      if (account) Object.assign(account, { publicKey, sequence: account.sequence + 1 });
    },
    /** Null before the account is opened. */
    account: (address: string): Account | null => accounts.get(address) ?? null,
    /** Sorted by denom, without zeros. */
    balances: (address: string): Coin[] =>
      [...(accounts.get(address)?.balances ?? [])]
        .filter(([, amount]) => amount > 0n)
        .map(([denom, amount]) => ({ denom, amount }))
        .sort((a, b) => (a.denom < b.denom ? -1 : 1)),
  };
}

export type Ledger = ReturnType<typeof createLedger>;
