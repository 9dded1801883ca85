import { z } from 'zod';

export type Coin = { denom: string; amount: bigint };

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/;

/** A coin in JSON: the amount is a string, since it may exceed a number. */
export const coinSchema = z
  .object({ denom: z.string().regex(DENOM, 'invalid denom'), amount: z.string().regex(/^\d{1,78}$/) })
  .transform(({ denom, amount }): Coin => ({ denom, amount: BigInt(amount) }));

export const coinRecord = ({ denom, amount }: Coin) => ({ denom, amount: String(amount) });

/** `500uatom,3uosmo`: coins in events and error messages. */
export const coinsText = (coins: readonly Coin[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom}`).join(',');

/** Whether the coins are a valid amount: each above zero, sorted by denom, none twice. */
export function areValidCoins(coins: readonly Coin[]): boolean {
  return coins.every(({ denom, amount }, place) => {
    const before = coins[place - 1];
    return amount > 0n && (!before || before.denom < denom);
  });
}

export const amountOf = (coins: readonly Coin[], denom: string): bigint =>
  coins.reduce((sum, coin) => (coin.denom === denom ? sum + coin.amount : sum), 0n);
