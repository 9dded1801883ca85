import { hashed, valueNoise } from '../noise.ts';
import { listedAt, type SandboxToken, sandboxToken } from '../tokens.ts';
import { DAY, MINUTE } from '../upstream.ts';

/** Figures in US dollars. `marketCap` is `price` times the circulating supply. */
export type Figures = { price: number; marketCap: number; volume: number };
type Extreme = { price: number; at: number };

/**
 * At the listing, the price is `first` and the supply is `issued`. The log price then approaches `settled`, and the
 * supply approaches `limit`, with the time constants `climb` and `issuance` in years. `volatility` is for one day.
 */
type Economy = {
  price: readonly [first: number, settled: number, climb: number, volatility: number] | 'pegged';
  supply: readonly [issued: number, limit: number, issuance: number];
  turnover: number;
};

// Synthetic values of a realistic magnitude.
const ECONOMIES: Readonly<Record<string, Economy>> = {
  bitcoin: { price: [130, 90_000, 3.2, 0.03], supply: [11_080_000, 21_000_000, 5.43], turnover: 0.03 },
  arweave: { price: [1.2, 9, 0.8, 0.055], supply: [33_000_000, 66_000_000, 1.2], turnover: 0.06 },
  ethereum: { price: [1.6, 3_000, 1.8, 0.038], supply: [72_100_000, 122_000_000, 2.6], turnover: 0.05 },
  solana: { price: [0.9, 140, 0.7, 0.05], supply: [8_000_000, 700_000_000, 3.6], turnover: 0.06 },
  'usd-coin': { price: 'pegged', supply: [12_000_000, 110_000_000_000, 8], turnover: 0.15 },
  'micro-coin': { price: [2e-9, 4e-9, 1, 0.05], supply: [4e14, 4.2e14, 5], turnover: 0.05 },
};

const YEAR = 365.25 * DAY;
const LANES = 64; // Noise lanes per token: 0 to 31 for the price, 32 to 62 for the volume, 63 for the quotes.
const ECONOMY_LANE = 10;
const SYNTHETIC_STEP = 10 * DAY;
const PEG = 0.004; // The maximum deviation of the stablecoin from one dollar.

// Noise octaves from 3 minutes to 2.3 years. The fractional ratio prevents octaves from coinciding at midnight. The
// amplitudes grow with the square root of the period, so the sum resembles a random walk.
const OCTAVES = Array.from({ length: 14 }, (_, n) => {
  const period = 3 * MINUTE * 2.7 ** n;
  return { lane: n, period, swing: 0.7 * Math.sqrt(period / DAY) };
});
// These periods are 7 hours to 4 months, so that a 24-hour total does not jump within minutes.
const VOLUME_OCTAVES = OCTAVES.slice(5, 11);

/** The economy of a synthetic token, with prices from 0.1 cents to 1,000 dollars. */
function syntheticEconomy({ place }: SandboxToken): Economy {
  const draw = (n: number) => hashed(0, ECONOMY_LANE + n, place);
  const price = (n: number) => 10 ** (-3 + 5 * draw(n));
  const issued = Math.floor(10 ** (6 + 4 * draw(4)));
  return {
    price: [price(0), 10 * price(1), 0.5 + 2 * draw(2), 0.03 + 0.04 * draw(3)],
    supply: [issued, Math.floor(issued * (1 + 3 * draw(5))), 1 + 5 * draw(6)],
    turnover: 0.02 + 0.1 * draw(7),
  };
}

type Market = { place: number; listed: number; economy: Economy };
// Markets are cached, because a daily chart looks up its market thousands of times.
const markets = new Map<string, Market>();

function marketOf(name: string): Market {
  const cachedMarket = markets.get(name);
  if (cachedMarket) return cachedMarket;
  const token = sandboxToken(name);
  if (!token) throw new RangeError(`unknown token ${name}`);
  const market = { place: token.place, listed: listedAt(token), economy: ECONOMIES[name] ?? syntheticEconomy(token) };
  markets.set(name, market);
  return market;
}

export const listed = (token: string): number => marketOf(token).listed;
/** The index of a token, which separates the noise lanes of the tokens. */
export const placeOf = (token: string): number => marketOf(token).place;
const laneOf = (token: string, lane: number) => placeOf(token) * LANES + lane;

/** The price in US dollars at `t` (Unix ms); null before the listing. */
export function priceAt(seed: number, token: string, t: number): number | null {
  const since = listed(token);
  if (t < since) return null;
  const { price } = marketOf(token).economy;
  const base = laneOf(token, 0);
  let walk = 0;
  for (const { lane, period, swing } of OCTAVES) {
    walk += (price === 'pegged' ? 0.15 : swing) * valueNoise(seed, base + lane, t / period);
  }
  if (price === 'pegged') return 1 + PEG * Math.tanh(walk);
  const [first, settled, climb, volatility] = price;
  const gap = Math.log(settled) - Math.log(first);
  const trend = Math.log(settled) - gap * Math.exp((since - t) / (climb * YEAR));
  return Math.exp(trend + volatility * walk);
}

/** The supply: an integer that never decreases and is constant before the listing. */
export function supplyAt(token: string, t: number): number {
  const [issued, limit, issuance] = marketOf(token).economy.supply;
  const years = Math.max(0, t - listed(token)) / YEAR;
  return Math.floor(limit - (limit - issued) * Math.exp(-years / issuance));
}

/** The figures at `t` (Unix ms), with the 24-hour volume; null before the listing. */
export function figuresAt(seed: number, token: string, t: number): Figures | null {
  const price = priceAt(seed, token, t);
  if (price === null) return null;
  const marketCap = price * supplyAt(token, t);
  const base = laneOf(token, 32);
  let swing = 0;
  for (const { lane, period } of VOLUME_OCTAVES) swing += 0.35 * valueNoise(seed, base + lane, t / period);
  return { price, marketCap, volume: marketOf(token).economy.turnover * marketCap * Math.exp(swing) };
}

/** The time of the latest quote at `now`. There is one quote per minute, at a varying second. */
export function quotedAt(seed: number, token: string, now: number): number {
  const timeOf = (slot: number) => slot * MINUTE + Math.floor(hashed(seed, laneOf(token, LANES - 1), slot) * MINUTE);
  const slot = Math.floor(now / MINUTE);
  return timeOf(slot) <= now ? timeOf(slot) : timeOf(slot - 1);
}

type Extremes = { high: Extreme; low: Extreme };
/** Extremes are cached, because computing thousands of midnights takes tens of milliseconds. */
const cachedExtremes = new Map<string, Extremes & { thru: number }>();

/** The extremes of the prices at all midnights since the listing. Undefined before the first midnight. */
function extremesThru(seed: number, token: string, midnight: number): Extremes | undefined {
  const key = `${seed}:${token}`;
  const before = cachedExtremes.get(key);
  const isReusable = before !== undefined && before.thru <= midnight;
  let extremes: Extremes | undefined = isReusable ? before : undefined;
  const every = ECONOMIES[token] ? DAY : SYNTHETIC_STEP;
  let thru = isReusable ? before.thru : listed(token) - every;
  for (; thru + every <= midnight; thru += every) {
    const at = thru + every;
    const then = { price: priceAt(seed, token, at) ?? 0, at };
    const { high, low } = extremes ?? { high: then, low: then };
    extremes = { high: then.price > high.price ? then : high, low: then.price < low.price ? then : low };
  }
  if (extremes) cachedExtremes.set(key, { ...extremes, thru });
  return extremes;
}

/** The extremes of the prices at `t` and at all (synthetic: every tenth) midnights. Null before the listing. */
export function extremesAt(seed: number, token: string, midnight: number, t: number): Extremes | null {
  const price = priceAt(seed, token, t);
  if (price === null) return null;
  const now = { price, at: t };
  const { high, low } = extremesThru(seed, token, midnight) ?? { high: now, low: now };
  return { high: price >= high.price ? now : high, low: price <= low.price ? now : low };
}
