import { rubyFloat } from '../errors.ts';
import { lastPricedAt, type SandboxToken, sandboxToken, sandboxTokens } from '../tokens.ts';
import { DAY } from '../upstream.ts';
import { publishedMidnight } from './chart.ts';
import { extremesAt, figuresAt, quotedAt, supplyAt } from './price-model.ts';

// CoinGecko returns more digits for small prices, and rounds prices from 10,000 to integers.
function quoted(price: number): unknown {
  if (price >= 10_000) return Math.round(price);
  const digits = price >= 1.1 ? 2 : 3;
  return rubyFloat(price >= 1 ? Number(price.toFixed(digits)) : Number(price.toPrecision(6)));
}

const percent = (now: number, then: number) => rubyFloat(Number(((now / then - 1) * 100).toFixed(5)));

/** A record of `/coins/markets`; null before the token's listing. */
function coinMarket(seed: number, coin: SandboxToken, now: number): unknown {
  const { name: token, symbol, title, rank, maxSupply, totalPerCirculating } = coin;
  const at = Math.min(quotedAt(seed, token, now), lastPricedAt(token));
  const figures = figuresAt(seed, token, at);
  const extremes = extremesAt(seed, token, publishedMidnight(now), at);
  if (!figures || !extremes) return null;
  const { price, marketCap, volume } = figures;
  const before = figuresAt(seed, token, at - DAY);
  const supply = supplyAt(token, at);
  const total = Math.floor(supply * totalPerCirculating);
  const record = {
    id: token,
    symbol,
    name: title,
    image: `https://coin-images.coingecko.com/coins/images/1/large/${token}.png`,
    current_price: quoted(price),
    market_cap: Math.round(marketCap),
    market_cap_rank: rank,
    fully_diluted_valuation: Math.round(price * total),
    total_volume: Math.round(volume),
    high_24h: quoted(Math.max(price, before?.price ?? price)),
    low_24h: quoted(Math.min(price, before?.price ?? price)),
    price_change_24h: before && rubyFloat(price - before.price),
    price_change_percentage_24h: before && percent(price, before.price),
    market_cap_change_24h: before && rubyFloat(marketCap - before.marketCap),
    market_cap_change_percentage_24h: before && percent(marketCap, before.marketCap),
    circulating_supply: rubyFloat(supply),
    total_supply: rubyFloat(total),
    max_supply: maxSupply && rubyFloat(maxSupply),
    ath: quoted(extremes.high.price),
    ath_change_percentage: percent(price, extremes.high.price),
    ath_date: new Date(extremes.high.at).toISOString(),
    atl: quoted(extremes.low.price),
    atl_change_percentage: percent(price, extremes.low.price),
    atl_date: new Date(extremes.low.at).toISOString(),
    roi: null,
    last_updated: new Date(at).toISOString(),
  };
  return oddRecord(coin, record);
}

const KEPT: ReadonlySet<string> = new Set(['id', 'symbol', 'name', 'image', 'last_updated']);

/** Adds irregularities of real records: nulls, zeros for unknown figures, and figures as strings. */
function oddRecord({ oddity }: SandboxToken, record: object): object {
  if (!oddity) return record;
  if (!oddity.isUnpriced) return { ...record, market_cap_rank: null, total_supply: '1.0e+17', max_supply: 'Infinity' };
  const nulls = Object.entries(record).map(([name, value]) => [name, KEPT.has(name) ? value : null]);
  return { ...Object.fromEntries(nulls), market_cap: 0, last_updated: null };
}

const MAX_PAGE = 250;

/** The first page of `/coins/markets`, in descending order of market cap. Unknown IDs are omitted. */
export function coinMarkets(seed: number, ids: readonly string[], now: number, perPage: number): unknown[] {
  return [...new Set(ids)]
    .flatMap((id) => sandboxToken(id) ?? [])
    .map((token) => ({ token, cap: token.oddity?.isUnpriced ? 0 : (figuresAt(seed, token.name, now)?.marketCap ?? 0) }))
    .sort((a, b) => b.cap - a.cap)
    .slice(0, Math.min(perPage, MAX_PAGE))
    .flatMap(({ token }) => coinMarket(seed, token, now) ?? []);
}

/** The response of `/coins/{id}`, with the members that clients use. */
export function coinDetails(seed: number, token: SandboxToken, now: number): unknown {
  const { name: id, symbol, title, genesis = null, rank, platforms } = token;
  const at = quotedAt(seed, id, now);
  const extremes = extremesAt(seed, id, publishedMidnight(now), at);
  const dollars = (value: unknown) => (value === undefined ? {} : { usd: value });
  return {
    id,
    symbol,
    name: title,
    asset_platform_id: Object.keys(platforms)[0] ?? null,
    platforms: Object.keys(platforms).length > 0 ? platforms : { '': '' },
    genesis_date: genesis,
    market_cap_rank: rank,
    market_data: {
      current_price: dollars(extremes ? quoted(figuresAt(seed, id, at)?.price ?? 0) : undefined),
      ath: dollars(extremes && quoted(extremes.high.price)),
      ath_date: dollars(extremes && new Date(extremes.high.at).toISOString()),
      atl: dollars(extremes && quoted(extremes.low.price)),
      atl_date: dollars(extremes && new Date(extremes.low.at).toISOString()),
    },
    last_updated: new Date(at).toISOString(),
  };
}

/** The response of `/coins/list` with the platforms, sorted by ID. */
export const coinList = (): unknown[] =>
  [...sandboxTokens().values()]
    .map(({ name: id, symbol, title: name, platforms }) => ({ id, symbol, name, platforms }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
