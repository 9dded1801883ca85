import type { TokenName } from './call.ts';

const TITLES: Readonly<Record<TokenName, string>> = {
  bitcoin: 'Bitcoin',
  arweave: 'Arweave',
  ethereum: 'Ethereum',
  solana: 'Solana',
  'usd-coin': 'USD Coin',
};

/** How a token is called in running text. */
export const titleOf = (token: TokenName): string => TITLES[token] ?? token;
