import { hashed } from './noise.ts';
import { DAY, isoDate } from './upstream.ts';

export type SandboxToken = {
  name: string;
  symbol: string;
  title: string;
  /** The date of the first block or of the token's contract. */
  begins: string;
  listed: string;
  /** Kraken's name for the pair with the US dollar; undefined if Kraken does not list the token. */
  pair: string | undefined;
  /** Coinbase's product with the US dollar; undefined if Coinbase does not list the token. */
  product: string | undefined;
  /** The index of the token, which separates the noise lanes of the tokens. */
  place: number;
  /** The date of the first block according to CoinGecko, which provides this date only for some tokens. */
  genesis: string | undefined;
  rank: number;
  maxSupply: number | null;
  totalPerCirculating: number;
  /** The contract addresses by platform, as in CoinGecko's list: some are empty, and some have capitals as a checksum. */
  platforms: Readonly<Record<string, string>>;
  /** The oddity of an unusual token. Undefined for most tokens. */
  oddity?: Oddity;
};

/**
 * - `lastPriced`: the date of the last price, after which the token was delisted
 * - `isUnpriced`: CoinGecko lists the token without a price
 * - `pairStatus`, `productStatus`: the status of Kraken's pair and of Coinbase's product; `online` by default
 */
type Oddity = { lastPriced?: string; isUnpriced?: boolean; pairStatus?: string; productStatus?: string };

/** The addresses of the built-in tokens. Coins that have their own chain have no address. */
const PLATFORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'usd-coin': {
    ethereum: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'polygon-pos': '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  },
};

const ON_COINBASE: ReadonlySet<string> = new Set(['bitcoin', 'ethereum', 'solana']);

const BUILT_IN = (
  [
    ['bitcoin', 'btc', 'Bitcoin', '2009-01-03', '2013-04-28', 'XXBTZUSD', 1, 21_000_000, 1],
    ['arweave', 'ar', 'Arweave', '2018-06-08', '2020-01-31', 'ARUSD', 90, 66_000_000, 1],
    ['ethereum', 'eth', 'Ethereum', '2015-07-30', '2015-08-07', 'XETHZUSD', 2, null, 1],
    ['solana', 'sol', 'Solana', '2020-03-16', '2020-04-11', 'SOLUSD', 7, null, 1.12],
    ['usd-coin', 'usdc', 'USDC', '2018-08-03', '2018-10-05', 'USDCUSD', 6, null, 1.0002],
  ] as const
).map(([name, symbol, title, begins, listed, pair, rank, maxSupply, totalPerCirculating], place) => {
  const product = ON_COINBASE.has(name) ? `${symbol.toUpperCase()}-USD` : undefined;
  const names = { name, symbol, title, begins, listed, pair, product, place, genesis: begins };
  return { ...names, rank, maxSupply, totalPerCirculating, platforms: PLATFORMS[name] ?? {} };
});

// The alternatives for a part have different initials, so each of the 1,000 symbols is unique.
const PARTS = [
  ['al', 'be', 'cor', 'dan', 'el', 'fi', 'gor', 'hu', 'ir', 'jo'],
  ['ba', 'co', 'da', 'fe', 'gi', 'lo', 'mu', 'na', 'pe', 'ri'],
  ['do', 'ka', 'li', 'mo', 'no', 'pa', 'que', 'ra', 'si', 'ta'],
] as const;

/** The lanes of synthetic tokens follow all other noise lanes. */
const SYNTHETIC_PLACE = 20_000;
const PAIR_EVERY = 5;
const PRODUCT_EVERY = 3;
const GENESIS_EVERY = 3;
/** The range of the listing dates, and the maximum time between the first block and the listing. */
const LISTED = [Date.parse('2014-01-01'), Date.parse('2025-06-01')] as const;
const MAX_LEAD = 400 * DAY;
const LISTED_LANE = 1;
const GENESIS_LANE = 2;

/** Every second synthetic token has a contract. The address of every tenth of these tokens is unknown. */
function platformsOf(n: number): Record<string, string> {
  if (n % 2 === 0) return {};
  return { ethereum: n % 20 === 1 ? '' : `0x${n.toString(16).padStart(40, 'c')}` };
}

function synthetic(n: number): SandboxToken {
  const parts = PARTS.map((part, i) => part[Math.floor(n / 10 ** (2 - i)) % 10] as string);
  const name = parts.join('');
  const symbol = parts.map(([letter]) => letter).join('');
  const listed = LISTED[0] + hashed(0, LISTED_LANE, n) * (LISTED[1] - LISTED[0]);
  const begins = isoDate(listed - hashed(0, GENESIS_LANE, n) * MAX_LEAD);
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
    platforms: platformsOf(n),
    pair: n % PAIR_EVERY === 0 ? `${symbol.toUpperCase()}USD` : undefined,
    product: n % PRODUCT_EVERY === 0 ? `${symbol.toUpperCase()}-USD` : undefined,
    genesis: n % GENESIS_EVERY === 0 ? begins : undefined,
  };
}

const odd = (n: number, name: string, symbol: string, oddity: Oddity): SandboxToken => ({
  ...synthetic(n),
  name,
  symbol,
  title: name,
  begins: '2019-01-01',
  listed: '2019-06-01',
  genesis: undefined,
  oddity,
  pair: oddity.pairStatus && `${symbol.toUpperCase()}USD`,
  product: oddity.productStatus && `${symbol.toUpperCase()}-USD`,
});

/** Unusual tokens, of kinds that also exist in the real world. */
const ODD = [
  odd(1000, 'delisted-coin', 'dlc', { lastPriced: '2026-03-01', pairStatus: 'cancel_only', productStatus: 'delisted' }),
  odd(1001, 'unpriced-coin', 'upc', { isUnpriced: true }),
  odd(1002, 'micro-coin', 'mic', { pairStatus: 'post_only', productStatus: 'cancel_only' }),
];

const builtIn = new Map<string, SandboxToken>(BUILT_IN.map((token) => [token.name, token]));
let cachedTokens: ReadonlyMap<string, SandboxToken> | undefined;

/** The service's built-in tokens, 1,000 synthetic tokens and then a few odd tokens. The set never changes. */
export function sandboxTokens(): ReadonlyMap<string, SandboxToken> {
  const createSynthetic = () => Array.from({ length: 1000 }, (_, n) => synthetic(n));
  cachedTokens ??= new Map([...BUILT_IN, ...createSynthetic(), ...ODD].map((token) => [token.name, token]));
  return cachedTokens;
}

export const sandboxToken = (name: string): SandboxToken | undefined => builtIn.get(name) ?? sandboxTokens().get(name);
/** The time of the last price in Unix ms. Infinity for a token that still has a price. */
export const lastPricedAt = (name: string): number =>
  Date.parse(sandboxToken(name)?.oddity?.lastPriced ?? '') || Number.POSITIVE_INFINITY;
export const listedAt = ({ listed }: Pick<SandboxToken, 'listed'>): number => Date.parse(listed);
