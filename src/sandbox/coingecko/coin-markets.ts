import { DAY, MINUTE } from '#domain/clock';
import { TOKEN_NAMES, type TokenName, tokenNamed } from '#domain/market/token';
import { extremesAt, figuresAt, priceAt, quotedAt, supplyAt } from '#sandbox/price-model';
import { publishedMidnight } from './chart.ts';
import { COINS } from './coins.ts';
import { rubyFloat } from './ruby-float.ts';

// The aggregator gives small prices more digits, and prices from 10,000 up as whole numbers.
function quoted(price: number): unknown {
  if (price >= 10_000) return Math.round(price);
  const digits = price >= 1.1 ? 2 : 3;
  return rubyFloat(price >= 1 ? Number(price.toFixed(digits)) : Number(price.toPrecision(6)));
}

const percent = (now: number, then: number) => rubyFloat(Number(((now / then - 1) * 100).toFixed(5)));

/** The highest and lowest price of the 24 hours up to `at`, in steps of five minutes. */
function dayRange(seed: number, token: TokenName, at: number): { high: number; low: number } {
  let high = Number.NEGATIVE_INFINITY;
  let low = Number.POSITIVE_INFINITY;
  for (let t = at; t > at - DAY; t -= 5 * MINUTE) {
    const price = priceAt(seed, token, t);
    if (price === null) break;
    high = Math.max(high, price);
    low = Math.min(low, price);
  }
  return { high, low };
}

function roiOf(seed: number, token: TokenName, price: number, at: number): unknown {
  const sale = COINS[token].sale;
  if (!sale) return null;
  const unit = sale.currency === 'btc' ? priceAt(seed, 'bitcoin', at) : 1;
  const times = price / (unit ?? 1) / sale.price - 1;
  return { times: rubyFloat(times), currency: sale.currency, percentage: rubyFloat(times * 100) };
}

/** One record of `/coins/markets`, or null before the token's listing. */
function coinMarket(seed: number, token: TokenName, rank: number, now: number): unknown {
  const at = quotedAt(seed, token, now);
  const figures = figuresAt(seed, token, at);
  const extremes = extremesAt(seed, token, publishedMidnight(now), at);
  if (!figures || !extremes) return null;
  const { price, marketCap, volume } = figures;
  const coin = COINS[token];
  const before = figuresAt(seed, token, at - DAY);
  const supply = supplyAt(token, at);
  const total = Math.floor(supply * coin.totalPerCirculating);
  const { high, low } = dayRange(seed, token, at);
  return {
    id: token,
    symbol: tokenNamed(token).symbol,
    name: coin.title,
    image: `https://coin-images.coingecko.com/coins/images/${coin.image.replace('*', 'large')}`,
    current_price: quoted(price),
    market_cap: Math.round(marketCap),
    market_cap_rank: rank,
    fully_diluted_valuation: Math.round(price * total),
    total_volume: Math.round(volume),
    high_24h: quoted(high),
    low_24h: quoted(low),
    price_change_24h: before && rubyFloat(price - before.price),
    price_change_percentage_24h: before && percent(price, before.price),
    market_cap_change_24h: before && rubyFloat(marketCap - before.marketCap),
    market_cap_change_percentage_24h: before && percent(marketCap, before.marketCap),
    circulating_supply: rubyFloat(supply),
    total_supply: rubyFloat(total),
    max_supply: coin.maxSupply && rubyFloat(coin.maxSupply),
    ath: quoted(extremes.high.price),
    ath_change_percentage: percent(price, extremes.high.price),
    ath_date: new Date(extremes.high.at).toISOString(),
    atl: quoted(extremes.low.price),
    atl_change_percentage: percent(price, extremes.low.price),
    atl_date: new Date(extremes.low.at).toISOString(),
    roi: roiOf(seed, token, price, at),
    last_updated: new Date(at).toISOString(),
  };
}

// Ranks on the real list, where other coins are in between.
const RANKS = [1, 2, 6, 7, 90];

/** The records of `/coins/markets`, largest market cap first. Unknown ids are left out. */
export function coinMarkets(seed: number, ids: readonly string[] | null, now: number): unknown[] {
  return TOKEN_NAMES.map((token) => ({ token, cap: figuresAt(seed, token, now)?.marketCap ?? 0 }))
    .sort((a, b) => b.cap - a.cap)
    .map(({ token }, place) => ({ token, rank: RANKS[place] ?? 100 }))
    .filter(({ token }) => ids === null || ids.includes(token))
    .map(({ token, rank }) => coinMarket(seed, token, rank, now))
    .filter((record) => record !== null);
}
