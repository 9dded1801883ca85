import { hashed } from './noise.ts';
import { DAY, isoDate } from './upstream.ts';

/** Dates are `YYYY-MM-DD`. */
export type SandboxToken = {
  name: string;
  symbol: string;
  title: string;
  /** The date of the first block, or of the contract. */
  begins: string;
  listed: string;
  /** Kraken's name of the pair against US dollars. */
  pair: string | undefined;
  /** Separates the noise lanes of tokens. */
  place: number;
  /** The chain's first date at CoinGecko, which knows it for some tokens. */
  genesis: string | undefined;
  /** CoinGecko's rank by market cap. */
  rank: number;
  maxSupply: number | null;
  /** Total supply divided by circulating supply. */
  totalPerCirculating: number;
};

const BUILT_IN = (
  [
    ['bitcoin', 'btc', 'Bitcoin', '2009-01-03', '2013-04-28', 'XXBTZUSD', 1, 21_000_000, 1],
    ['arweave', 'ar', 'Arweave', '2018-06-08', '2020-01-31', 'ARUSD', 90, 66_000_000, 1],
    ['ethereum', 'eth', 'Ethereum', '2015-07-30', '2015-08-07', 'XETHZUSD', 2, null, 1],
    ['solana', 'sol', 'Solana', '2020-03-16', '2020-04-11', 'SOLUSD', 7, null, 1.12],
    ['usd-coin', 'usdc', 'USDC', '2018-08-03', '2018-10-05', 'USDCUSD', 6, null, 1.0002],
  ] as const
).map(([name, symbol, title, begins, listed, pair, rank, maxSupply, totalPerCirculating], place) => {
  const names = { name, symbol, title, begins, listed, pair, place, genesis: begins };
  return { ...names, rank, maxSupply, totalPerCirculating };
});

// The parts of a name begin with different letters, so that no two of the thousand share a symbol.
const PARTS = [
  ['al', 'be', 'cor', 'dan', 'el', 'fi', 'gor', 'hu', 'ir', 'jo'],
  ['ba', 'co', 'da', 'fe', 'gi', 'lo', 'mu', 'na', 'pe', 'ri'],
  ['do', 'ka', 'li', 'mo', 'no', 'pa', 'que', 'ra', 'si', 'ta'],
] as const;

/** After all other noise lanes. */
const SYNTHETIC_PLACE = 20_000;
const PAIR_EVERY = 5;
const GENESIS_EVERY = 3;
/** The listing dates, and the longest time between a chain's first block and its listing. */
const LISTED = [Date.parse('2014-01-01'), Date.parse('2025-06-01')] as const;
const LONGEST_BEFORE = 400 * DAY;
const [LISTED_LANE, GENESIS_LANE] = [1, 2];

function synthetic(n: number): SandboxToken {
  const parts = PARTS.map((part, i) => part[Math.floor(n / 10 ** (2 - i)) % 10] as string);
  const name = parts.join('');
  const symbol = parts.map(([letter]) => letter).join('');
  const listed = LISTED[0] + hashed(0, LISTED_LANE, n) * (LISTED[1] - LISTED[0]);
  const begins = isoDate(listed - hashed(0, GENESIS_LANE, n) * LONGEST_BEFORE);
  const place = SYNTHETIC_PLACE + n;
  return {
    name,
    symbol,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    begins,
    listed: isoDate(listed),
    place,
    rank: place,
    maxSupply: null,
    totalPerCirculating: 1,
    pair: n % PAIR_EVERY === 0 ? `${symbol.toUpperCase()}USD` : undefined,
    genesis: n % GENESIS_EVERY === 0 ? begins : undefined,
  };
}

const builtIn = new Map<string, SandboxToken>(BUILT_IN.map((token) => [token.name, token]));
let everyToken: ReadonlyMap<string, SandboxToken> | undefined;

/** The service's built-in tokens, and a thousand made-up ones, which are always the same. */
export function sandboxTokens(): ReadonlyMap<string, SandboxToken> {
  const madeUp = () => Array.from({ length: 1000 }, (_, n) => synthetic(n));
  everyToken ??= new Map([...BUILT_IN, ...madeUp()].map((one) => [one.name, one]));
  return everyToken;
}

export const sandboxToken = (name: string): SandboxToken | undefined => builtIn.get(name) ?? sandboxTokens().get(name);
export const listedAt = ({ listed }: Pick<SandboxToken, 'listed'>): number => Date.parse(listed);
