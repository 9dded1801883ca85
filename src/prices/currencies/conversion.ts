import { DAY, startOfDate } from '#core/clock';
import { isOneOf } from '#core/names';
import type { CandleColumns } from '#prices/model/candle';
import { type Currency, DOLLAR, EURO, type UsdRate } from '#prices/model/currency';
import { type Interval, spacingOf } from '#prices/model/interval';
import type { LatestPrice } from '#prices/model/prices-records';
import { type Columns, type PointColumns, placeOf } from '#prices/model/series';
import type { RateStore } from './rate-store.ts';
import { createRateSeries, type RateSeries } from './rate-validity.ts';

/** Returns NaN if the figure or the currency's `usdRate` is unknown. */
function inUnits(dollars: number, usdRate: number): number {
  const figure = dollars / usdRate;
  return Number.isFinite(figure) ? figure : Number.NaN;
}

/** Returns null if the figure is null or cannot be converted. */
export function convertFigure(dollars: number | null, usdRate: number): number | null {
  if (dollars === null) return null;
  const figure = inUnits(dollars, usdRate);
  return Number.isNaN(figure) ? null : figure;
}

/** A currency's value in US dollars, and the date (Unix ms of its midnight) of the rates. NaN if there is no rate. */
type DatedRate = { usdRate: number; on: number };
const NO_RATE: DatedRate = { usdRate: Number.NaN, on: Number.NaN };

/** The rates of the last date on which both series have a rate. */
function rateOn(dollars: RateSeries, units: RateSeries, instant: number): DatedRate {
  let date = instant;
  for (;;) {
    const dollarsPerEuro = dollars.at(date);
    const unitsPerEuro = units.at(date);
    if (!dollarsPerEuro || !unitsPerEuro) return NO_RATE;
    const on = Math.min(dollarsPerEuro.on, unitsPerEuro.on);
    if (dollarsPerEuro.on === unitsPerEuro.on) return { usdRate: dollarsPerEuro.rate / unitsPerEuro.rate, on };
    date = on;
  }
}

/** Uses the reference rates for each instant's UTC date. `units` is the rate per euro; undefined for the euro. */
export function datedRates(dollars: RateSeries, units: RateSeries | undefined): (at: number) => DatedRate {
  let date = Number.NaN;
  let dated = NO_RATE;
  return (at) => {
    if (startOfDate(at) === date) return dated;
    date = startOfDate(at);
    const euro = dollars.at(date);
    if (units) dated = rateOn(dollars, units, date);
    else dated = euro ? { usdRate: euro.rate, on: euro.on } : NO_RATE;
    return dated;
  };
}

/** Uses the nearest sample: for days, within the same UTC date; for other intervals, within the interval's spacing. */
export function usdRateFromSamples(
  { at: times, price }: Pick<PointColumns, 'at' | 'price'>,
  interval: Interval,
): UsdRate {
  const furthest = interval === 'day' ? DAY : spacingOf(interval);
  return (at) => {
    const next = placeOf(times, at);
    let usdRate = Number.NaN;
    let nearest = furthest;
    for (const place of [next - 1, next]) {
      const time = times[place];
      if (time === undefined || (interval === 'day' && startOfDate(time) !== startOfDate(at))) continue;
      const apart = Math.abs(time - at);
      if (apart > nearest || Number.isNaN(price[place])) continue;
      usdRate = price[place] as number;
      nearest = apart;
    }
    return usdRate;
  };
}

/** Converts the columns named in `money` from US dollars. Omits rows for which no rate is known. */
function convertRows<Rows extends Columns>(
  rows: Rows,
  money: readonly (keyof Rows & string)[],
  usdRate: UsdRate,
): Rows {
  const places = new Uint32Array(rows.at.length);
  const rates = new Float64Array(rows.at.length);
  let count = 0;
  for (let place = 0; place < rows.at.length; place++) {
    const unit = usdRate(rows.at[place] as number);
    if (Number.isNaN(unit)) continue;
    places[count] = place;
    rates[count++] = unit;
  }
  const converted = Object.entries(rows).map(([name, column]) => {
    const values = column instanceof Uint8Array ? new Uint8Array(count) : new Float64Array(count);
    const isMoney = isOneOf(money, name);
    for (let i = 0; i < count; i++) {
      const figure = column[places[i] as number] as number;
      values[i] = isMoney ? inUnits(figure, rates[i] as number) : figure;
    }
    return [name, values];
  });
  return Object.fromEntries(converted);
}

export const convertColumns = (columns: PointColumns, usdRate: UsdRate): PointColumns =>
  convertRows(columns, ['price', 'marketCap', 'volume'], usdRate);

/** Converts each candle at the rate at its start. The volume is in tokens and is not converted. */
export const convertCandles = (columns: CandleColumns, usdRate: UsdRate): CandleColumns =>
  convertRows(columns, ['open', 'high', 'low', 'close'], usdRate);

const atOf = (date: string | null): number => (date === null ? Number.NaN : Date.parse(date));

/** Converts all-time figures at the rates of their dates, and others at the rate `now`. Undefined without a price. */
export function convertLatest(record: LatestPrice, now: number, usdRate: UsdRate): LatestPrice | undefined {
  const current_price = convertFigure(record.current_price, now);
  if (current_price === null) return undefined;
  return {
    ...record,
    current_price,
    market_cap: convertFigure(record.market_cap, now),
    total_volume: convertFigure(record.total_volume, now),
    ath: convertFigure(record.ath, usdRate(atOf(record.ath_date))),
    atl: convertFigure(record.atl, usdRate(atOf(record.atl_date))),
  };
}

/** The dollars per unit of a currency, from the stored rates. */
export async function storedUsdRate(store: RateStore, currency: Currency, now: number): Promise<UsdRate> {
  const dollars = await store.rates(DOLLAR, now);
  const newest = dollars.at(-1)?.[0] ?? Number.NaN;
  const units = currency === EURO ? undefined : createRateSeries(await store.rates(currency, now), newest);
  const rateAt = datedRates(createRateSeries(dollars, newest), units);
  return (at) => rateAt(at).usdRate;
}
