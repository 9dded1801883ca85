import type { TokenName } from '#domain/market/token';

/**
 * The constant data of a coin. `image` has `*` for the size; `sale` is the price of the first sale, for the return on
 * investment.
 */
export type Coin = {
  title: string;
  image: string;
  maxSupply: number | null;
  totalPerCirculating: number;
  sale?: { currency: 'btc' | 'usd'; price: number };
};

export const COINS: Record<TokenName, Coin> = {
  bitcoin: {
    title: 'Bitcoin',
    image: '1/*/bitcoin.png?1696501400',
    maxSupply: 21_000_000,
    totalPerCirculating: 1,
  },
  arweave: {
    title: 'Arweave',
    image: '4343/*/arweave.png?1696504946',
    maxSupply: 66_000_000,
    totalPerCirculating: 1,
    sale: { currency: 'usd', price: 0.75 },
  },
  ethereum: {
    title: 'Ethereum',
    image: '279/*/ethereum.png?1696501628',
    maxSupply: null,
    totalPerCirculating: 1,
    sale: { currency: 'btc', price: 0.0006 },
  },
  solana: {
    title: 'Solana',
    image: '4128/*/solana.png?1696504756',
    maxSupply: null,
    totalPerCirculating: 1.12,
  },
  'usd-coin': {
    title: 'USDC',
    image: '6319/*/usdc.png?1696506694',
    maxSupply: null,
    totalPerCirculating: 1.0002,
  },
};
