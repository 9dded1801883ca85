import { startOfDate } from '#core/clock';
import { FIRST_BLOCK } from '#upstream/plausible';

/** The aggregator's id of a crypto asset, in lower case. */
export type TokenName = string;

/** A crypto asset that is served; dates are `YYYY-MM-DD`. */
export type Token = {
  name: TokenName;
  /** In lower case. */
  symbol: string;
  /** As people write it. */
  title: string;
  /** The date of the chain's first block, or the contract's: nobody can have a price of before it. */
  begins: string;
  /** The first date of which the aggregator is known to have a price. */
  listed: string;
  /** Whether there are on-chain statistics of it. */
  statistics: boolean;
  /** The venue's own name of its pair against the US dollar, where it has one. */
  pair: string | undefined;
};

/** The tokens that are there from the start, for good. A test holds the migration that seeds them to this. */
export const BUILT_IN_TOKENS = [
  {
    name: 'bitcoin',
    symbol: 'btc',
    title: 'Bitcoin',
    begins: '2009-01-03',
    listed: '2013-04-28',
    statistics: true,
    pair: 'XXBTZUSD',
  },
  {
    name: 'arweave',
    symbol: 'ar',
    title: 'Arweave',
    begins: '2018-06-08',
    listed: '2020-01-31',
    statistics: true,
    pair: 'ARUSD',
  },
  {
    name: 'ethereum',
    symbol: 'eth',
    title: 'Ethereum',
    begins: '2015-07-30',
    listed: '2015-08-07',
    statistics: true,
    pair: 'XETHZUSD',
  },
  {
    name: 'solana',
    symbol: 'sol',
    title: 'Solana',
    begins: '2020-03-16',
    listed: '2020-04-11',
    statistics: true,
    pair: 'SOLUSD',
  },
  {
    name: 'usd-coin',
    symbol: 'usdc',
    title: 'USDC',
    begins: '2018-08-03',
    listed: '2018-10-05',
    statistics: false,
    pair: 'USDCUSD',
  },
] as const satisfies readonly Token[];

export type BuiltInToken = (typeof BUILT_IN_TOKENS)[number];

export const BUILT_IN_NAMES: readonly TokenName[] = BUILT_IN_TOKENS.map(({ name }) => name);

/** The built-in token of a symbol (lower case). */
export function tokenOf(symbol: BuiltInToken['symbol']): BuiltInToken {
  const token = BUILT_IN_TOKENS.find((one) => one.symbol === symbol);
  if (!token) throw new RangeError(`no token has the symbol ${symbol}`);
  return token;
}

const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** The first instant of the token's listing date, in Unix milliseconds. */
export const listedAt = ({ listed }: Pick<Token, 'listed'>): number => midnightOf(listed);

/**
 * The first instant of the first date of which a price is known, in Unix milliseconds: the listing date, or that of the
 * first day that is stored (at `firstDay`), where that is earlier. Of a token that is not served, the latter alone.
 */
export const knownSince = (token: Pick<Token, 'listed'> | undefined, firstDay = Number.POSITIVE_INFINITY): number =>
  Math.min(token ? listedAt(token) : Number.POSITIVE_INFINITY, startOfDate(firstDay));

/** The first instant of the date on which the token's chain began (Unix ms); of one that is not served, of the first chain. */
export const beginningOf = (token: Pick<Token, 'begins'> | undefined): number =>
  token ? midnightOf(token.begins) : FIRST_BLOCK;

/** Whether a text can be a token's name: an id of the aggregator that stands for itself in a path and in a list. */
export const isTokenId = (text: string): boolean => /^[a-z0-9_-][a-z0-9._-]{0,99}$/.test(text);

/** Whether a text can be a token's symbol: in lower case, without spaces, commas and control characters. */
export const isTokenSymbol = (text: string): boolean =>
  /^[^\s,\p{C}]{1,50}$/u.test(text) && text === text.toLowerCase();
