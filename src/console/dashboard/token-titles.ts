import type { TokenName } from '../api/api-call.ts';

const TITLES: Readonly<Record<TokenName, string>> = {
  bitcoin: 'Bitcoin',
  arweave: 'Arweave',
  ethereum: 'Ethereum',
  solana: 'Solana',
  'usd-coin': 'USD Coin',
};

/** The name of a token for people. */
export const titleOf = (token: TokenName): string => TITLES[token] ?? token;
