/** The CoinGecko id of a crypto asset, in lower case. */
export type TokenName = string;

export type Token = {
  name: TokenName;
  symbol: string;
  title: string;
  /** The date of the chain's first block or of the contract's creation (`YYYY-MM-DD`). No price is older. */
  begins: string;
  /** The first date for which CoinGecko has reported a price (`YYYY-MM-DD`). */
  listed: string;
  /** Whether the service has on-chain statistics for the token. */
  statistics: boolean;
  /** The pairs with the US dollar by exchange, under the exchange's own names. */
  pairs: Readonly<Record<string, string>>;
  /** The token whose data is returned for requests for this token. */
  successor?: TokenName | undefined;
  /** Whether a user's request added the token. Its symbol then refers to nothing. */
  isRequested?: boolean | undefined;
};

/** The permanent tokens. A test compares the migration that seeds them with this list. */
export const BUILT_IN_TOKENS = [
  {
    name: 'bitcoin',
    symbol: 'btc',
    title: 'Bitcoin',
    begins: '2009-01-03',
    listed: '2013-04-28',
    statistics: true,
    pairs: { kraken: 'XXBTZUSD', coinbase: 'BTC-USD' },
  },
  {
    name: 'arweave',
    symbol: 'ar',
    title: 'Arweave',
    begins: '2018-06-08',
    listed: '2020-01-31',
    statistics: true,
    pairs: { kraken: 'ARUSD' },
  },
  {
    name: 'ethereum',
    symbol: 'eth',
    title: 'Ethereum',
    begins: '2015-07-30',
    listed: '2015-08-07',
    statistics: true,
    pairs: { kraken: 'XETHZUSD', coinbase: 'ETH-USD' },
  },
  {
    name: 'solana',
    symbol: 'sol',
    title: 'Solana',
    begins: '2020-03-16',
    listed: '2020-04-11',
    statistics: true,
    pairs: { kraken: 'SOLUSD', coinbase: 'SOL-USD' },
  },
  {
    name: 'usd-coin',
    symbol: 'usdc',
    title: 'USDC',
    begins: '2018-08-03',
    listed: '2018-10-05',
    statistics: false,
    pairs: { kraken: 'USDCUSD' },
  },
] as const satisfies readonly Token[];

/** The maximum number of served tokens. */
export const MAX_SERVED = 5000;

export type BuiltInToken = (typeof BUILT_IN_TOKENS)[number];
export const BUILT_IN_NAMES: readonly TokenName[] = BUILT_IN_TOKENS.map(({ name }) => name);

export function tokenOf(symbol: BuiltInToken['symbol']): BuiltInToken {
  const token = BUILT_IN_TOKENS.find((one) => one.symbol === symbol);
  if (!token) throw new RangeError(`no token has the symbol ${symbol}`);
  return token;
}

/** Whether a text is a CoinGecko id that needs no escaping in a path or a list. */
export const isTokenId = (text: string): boolean => /^[a-z0-9_-][a-z0-9._-]{0,99}$/.test(text);

/** Whether a text is a symbol in lower case, without spaces, commas or control characters. */
export const isTokenSymbol = (text: string): boolean =>
  /^[^\s,\p{C}]{1,50}$/u.test(text) && text === text.toLowerCase();

/** The row of `Refresh` with the version and the time of CoinGecko's list of coins. */
export const COINS = 'coins';

/** A coin in CoinGecko's list. `symbol` is in lower case. `platforms` maps a platform to the contract's address there. */
export type ListedCoin = { id: string; symbol: string; title: string; platforms: Readonly<Record<string, string>> };

/** Addresses of EVM platforms are case-insensitive: their capitals are only a checksum. */
const EVM_ADDRESS = /^0x[\da-f]{40}$/i;

/** Converts an address to the form in which it is compared. Only addresses of EVM platforms are case-insensitive. */
export const comparedAddress = (address: string): string =>
  EVM_ADDRESS.test(address) ? address.toLowerCase() : address;
