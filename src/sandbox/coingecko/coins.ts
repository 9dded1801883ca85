import type { TokenName } from '#domain/market/token';

/** The constant data of a coin. */
export type Coin = {
  title: string;
  image: string;
  maxSupply: number | null;
  totalPerCirculating: number;
};

export const COINS: Record<TokenName, Coin> = {
  bitcoin: {
    title: 'Bitcoin',
    image: '1/large/bitcoin.png?1696501400',
    maxSupply: 21_000_000,
    totalPerCirculating: 1,
  },
  arweave: {
    title: 'Arweave',
    image: '4343/large/arweave.png?1696504946',
    maxSupply: 66_000_000,
    totalPerCirculating: 1,
  },
  ethereum: {
    title: 'Ethereum',
    image: '279/large/ethereum.png?1696501628',
    maxSupply: null,
    totalPerCirculating: 1,
  },
  solana: {
    title: 'Solana',
    image: '4128/large/solana.png?1696504756',
    maxSupply: null,
    totalPerCirculating: 1.12,
  },
  'usd-coin': {
    title: 'USDC',
    image: '6319/large/usdc.png?1696506694',
    maxSupply: null,
    totalPerCirculating: 1.0002,
  },
};
