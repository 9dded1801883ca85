import type { Token } from '#catalogue/token';
import { DAY, HOUR, iso } from '#core/clock';
import type { PricedToken } from '#prices/latest/latest-figures';
import type { QuoteRate } from '../currencies.ts';
import { changeOver, figuresIn, type Round } from './coin-figures.ts';

/** The periods of `price_change_percentage`, in ms. */
export const PERIODS = {
  '1h': HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '14d': 14 * DAY,
  '30d': 30 * DAY,
  '60d': 60 * DAY,
  '200d': 200 * DAY,
  '1y': 365 * DAY,
} as const;
export type Period = keyof typeof PERIODS;

export type MarketOptions = { periods: readonly Period[]; sparkline: boolean; rehypothecated: boolean; round: Round };

/** A record of `/coins/markets`. `priced` is undefined for a token without a known price. */
export function marketRecord(
  { name, symbol, title }: Pick<Token, 'name' | 'symbol' | 'title'>,
  priced: PricedToken | undefined,
  rate: QuoteRate | undefined,
  { periods, sparkline, rehypothecated, round }: MarketOptions,
): object {
  const figures = priced && rate && figuresIn(priced, rate, round);
  const { market, record, at } = priced?.latest ?? {};
  const rank = market?.market_cap_rank ?? null;
  const changes = periods.map((period) => {
    const change = () => {
      if (!priced || !rate) return null;
      return period === '24h' ? (figures?.priceChangePercentage ?? null) : changeOver(priced, PERIODS[period], rate);
    };
    return [`price_change_percentage_${period}_in_currency`, change()];
  });
  const hours = sparkline ? priced?.hours(7 * DAY) : undefined;
  return {
    id: name,
    symbol,
    name: title,
    image: market?.image ?? '',
    current_price: figures?.price ?? null,
    market_cap: figures?.marketCap ?? null,
    market_cap_rank: rank,
    fully_diluted_valuation: figures?.dilutedValuation ?? null,
    total_volume: figures?.volume ?? null,
    high_24h: figures?.high ?? null,
    low_24h: figures?.low ?? null,
    price_change_24h: figures?.priceChange ?? null,
    price_change_percentage_24h: figures?.priceChangePercentage ?? null,
    market_cap_change_24h: figures?.capChange ?? null,
    market_cap_change_percentage_24h: figures?.capChangePercentage ?? null,
    circulating_supply: record?.circulating_supply ?? null,
    total_supply: record?.total_supply ?? null,
    max_supply: record?.max_supply ?? null,
    ath: figures?.ath.value ?? null,
    ath_change_percentage: figures?.ath.change ?? null,
    ath_date: figures?.ath.date ?? null,
    atl: figures?.atl.value ?? null,
    atl_change_percentage: figures?.atl.change ?? null,
    atl_date: figures?.atl.date ?? null,
    roi: market?.roi ?? null,
    last_updated: at === undefined ? null : iso(at),
    ...(rehypothecated && { market_cap_rank_with_rehypothecated: rank }),
    ...(sparkline && { sparkline_in_7d: { price: hours?.map((dollars) => dollars / (rate?.now ?? 1)) ?? [] } }),
    ...Object.fromEntries(changes),
  };
}
