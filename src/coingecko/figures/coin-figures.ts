import { iso } from '#core/clock';
import type { PricedToken } from '#prices/latest/latest-figures';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { QuoteRate } from '../currencies.ts';

export type Round = (price: number) => number;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
const converted = (dollars: number | null | undefined, usdRate: number): number | null =>
  dollars == null ? null : finite(dollars / usdRate);
const rounded = (price: number | null, round: Round): number | null => (price === null ? null : round(price));
const percent = (now: number, then: number): number | null => finite((now / then - 1) * 100);

/** A change in percent in another currency: the change in dollars, and that of the currency. */
function changeIn(change: number | null | undefined, { now, dayBefore }: QuoteRate): number | null {
  if (change == null) return null;
  return now === dayBefore ? change : finite((1 + change / 100) * (dayBefore / now) * 100 - 100);
}

/** The absolute change behind a change in percent. */
const difference = (now: number | null, change: number | null): number | null =>
  now === null || change === null ? null : finite(now - now / (1 + change / 100));

/** A high or low of all time. In a currency that is a token, its meaning is lost. */
function extreme(
  { latest }: PricedToken,
  name: 'ath' | 'atl',
  price: number,
  { code, at, isToken }: QuoteRate,
  round: Round,
) {
  const { record, sources } = latest;
  const date = record[`${name}_date`];
  const value = isToken || date === null ? null : converted(record[name], at(Date.parse(date)));
  if (value === null || date === null) return { value: null, change: null, date: null };
  const isReported = code === 'usd' && sources[0]?.source === PRIMARY_SOURCE;
  const change = isReported ? record[`${name}_change_percentage`] : percent(price, value);
  return { value: round(value), change, date: iso(Date.parse(date)) };
}

/** The figures of a token in a currency. Undefined without a price in that currency. */
export function figuresIn(token: PricedToken, rate: QuoteRate, round: Round) {
  const { latest, change } = token;
  const { record, market } = latest;
  const price = converted(record.current_price, rate.now);
  if (price === null) return undefined;
  const marketCap = converted(record.market_cap, rate.now);
  const priceChange = changeIn(change, rate);
  const capChange = changeIn(market?.market_cap_change_percentage_24h, rate);
  const ofDay = (dollars: number | null | undefined) =>
    rate.isToken ? null : rounded(converted(dollars, rate.now), round);
  return {
    price: round(price),
    marketCap,
    volume: converted(record.total_volume, rate.now),
    dilutedValuation: converted(market?.fully_diluted_valuation, rate.now),
    high: ofDay(market?.high_24h),
    low: ofDay(market?.low_24h),
    priceChange: difference(price, priceChange),
    priceChangePercentage: priceChange,
    capChange: difference(marketCap, capChange),
    capChangePercentage: capChange,
    ath: extreme(token, 'ath', price, rate, round),
    atl: extreme(token, 'atl', price, rate, round),
  };
}

export type CoinFigures = NonNullable<ReturnType<typeof figuresIn>>;

/** The change of a token's price over some time (in ms) in a currency, in percent. Null without an archived sample. */
export function changeOver(token: PricedToken, ago: number, rate: QuoteRate): number | null {
  const before = token.before(ago);
  const usdRate = rate.code === 'usd' ? 1 : rate.at(token.latest.at - ago);
  return before === null ? null : percent(token.latest.record.current_price / rate.now, before / usdRate);
}
