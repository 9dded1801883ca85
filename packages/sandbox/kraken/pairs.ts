import { listedAt, type SandboxToken, sandboxTokens } from '../market/tokens.ts';

/** A pair against the US dollar; `since` is the date of its first trade, `quiet` how many five minutes have none. */
export type Pair = {
  token: string;
  name: string;
  altname: string;
  wsname: string;
  base: string;
  decimals: number;
  since: number;
  quiet: number;
};

const pair = (
  token: string,
  [name, altname, wsname]: [string, string, string],
  { since, decimals, quiet = 0 }: { since: string; decimals: number; quiet?: number },
): Pair => ({
  ...{ token, name, altname, wsname, base: name.replace(/Z?USD$/, ''), decimals },
  ...{ since: Date.parse(since), quiet },
});

const PAIRS: readonly Pair[] = [
  pair('bitcoin', ['XXBTZUSD', 'XBTUSD', 'XBT/USD'], { since: '2013-10-06', decimals: 1 }),
  pair('ethereum', ['XETHZUSD', 'ETHUSD', 'ETH/USD'], { since: '2015-08-07', decimals: 2 }),
  pair('solana', ['SOLUSD', 'SOLUSD', 'SOL/USD'], { since: '2021-06-17', decimals: 2 }),
  pair('usd-coin', ['USDCUSD', 'USDCUSD', 'USDC/USD'], { since: '2020-01-08', decimals: 4 }),
  // A thin market: there is not a trade in each five minutes.
  pair('arweave', ['ARUSD', 'ARUSD', 'AR/USD'], { since: '2025-04-28', decimals: 3, quiet: 0.15 }),
];

/** The pair of a made-up token: traded since it was listed. */
function madeUp(token: SandboxToken): Pair[] {
  const name = token.pair;
  if (name === undefined || PAIRS.some((one) => one.token === token.name)) return [];
  const since = new Date(listedAt(token)).toISOString();
  return [pair(token.name, [name, name, name.replace(/USD$/, '/USD')], { since, decimals: 6 })];
}
let everyPair: readonly Pair[] | undefined;

export function allPairs(): readonly Pair[] {
  everyPair ??= [...PAIRS, ...[...sandboxTokens().values()].flatMap(madeUp)];
  return everyPair;
}

export const pairNamed = (name: string): Pair | undefined =>
  allPairs().find((one) => one.name === name || one.altname === name);

export const assetPair = ({ altname, wsname, base, decimals }: Pair) => ({
  ...{ altname, wsname, aclass_base: 'currency', base, aclass_quote: 'currency', quote: 'ZUSD' },
  ...{ lot: 'unit', cost_decimals: 5, pair_decimals: decimals, lot_decimals: 8, lot_multiplier: 1 },
  ...{ leverage_buy: [2, 3, 4, 5], leverage_sell: [2, 3, 4, 5], fees: [], fees_maker: [] },
  ...{ fee_volume_currency: 'ZUSD', margin_call: 80, margin_stop: 40, ordermin: '0.0001', costmin: '0.5' },
  ...{ tick_size: (10 ** -decimals).toFixed(decimals), status: 'online' },
});
