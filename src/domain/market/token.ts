import { startOfDate } from '#domain/clock';

/** The day of the first block of all (Unix ms): there were no prices before. */
export const FIRST_BLOCK = Date.parse('2009-01-03T00:00:00Z');

/**
 * The crypto assets that are served. `listed` is the first date of which the aggregator knows a price, `begins` that of
 * the chain's first block (of usd-coin, the contract's): nobody can have a price of before it.
 */
export const TOKENS = [
  { name: 'bitcoin', symbol: 'btc', begins: '2009-01-03', listed: '2013-04-28', statistics: true },
  { name: 'arweave', symbol: 'ar', begins: '2018-06-08', listed: '2020-01-31', statistics: true },
  { name: 'ethereum', symbol: 'eth', begins: '2015-07-30', listed: '2015-08-07', statistics: true },
  { name: 'solana', symbol: 'sol', begins: '2020-03-16', listed: '2020-04-11', statistics: true },
  { name: 'usd-coin', symbol: 'usdc', begins: '2018-08-03', listed: '2018-10-05', statistics: false },
] as const;

export type Token = (typeof TOKENS)[number];
export type TokenName = Token['name'];

export const TOKEN_NAMES = TOKENS.map((token) => token.name) as [TokenName, ...TokenName[]];

const byName = new Map<string, Token>(TOKENS.map((token) => [token.name, token]));

export function tokenNamed(name: TokenName): Token {
  const token = byName.get(name);
  if (!token) throw new RangeError(`no token is named ${name}`);
  return token;
}

/** The token of a symbol (lower case). */
export function tokenOf(symbol: Token['symbol']): TokenName {
  const token = TOKENS.find((one) => one.symbol === symbol);
  if (!token) throw new RangeError(`no token has the symbol ${symbol}`);
  return token.name;
}

export function isTokenName(name: string): name is TokenName {
  return byName.has(name);
}

/** The first instant of the token's listing date, in Unix milliseconds. */
export function listedAt(name: TokenName): number {
  return Date.parse(`${tokenNamed(name).listed}T00:00:00Z`);
}

/**
 * The first instant of the first date of which a price is known, in Unix milliseconds: the listing date, or that of the
 * first day that is stored (at `firstDay`), where that is earlier.
 */
export const knownSince = (name: TokenName, firstDay = Number.POSITIVE_INFINITY): number =>
  Math.min(listedAt(name), startOfDate(firstDay));

/** The first instant of the date on which the token's chain began, in Unix milliseconds. */
export function beginningOf(name: TokenName): number {
  return Date.parse(`${tokenNamed(name).begins}T00:00:00Z`);
}
