/** The crypto assets that are served. `listed` is the first date of which the aggregator knows a price. */
export const TOKENS = [
  { name: 'bitcoin', symbol: 'btc', listed: '2013-04-28', statistics: true },
  { name: 'arweave', symbol: 'ar', listed: '2020-01-31', statistics: true },
  { name: 'ethereum', symbol: 'eth', listed: '2015-08-07', statistics: true },
  { name: 'solana', symbol: 'sol', listed: '2020-04-11', statistics: true },
  { name: 'usd-coin', symbol: 'usdc', listed: '2018-10-05', statistics: false },
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
