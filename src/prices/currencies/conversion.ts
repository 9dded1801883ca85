import { DAY, startOfDate } from '#core/clock';
import type { CandleColumns } from '#prices/model/candle';
import { type Interval, spacingOf } from '#prices/model/interval';
import type { LatestPrice } from '#prices/model/records';
import type { PointColumns } from '#prices/model/sample';
import { type Columns, placeOf } from '#prices/model/series';
import type { RateSeries } from './rate-series.ts';

/** The value of one unit of a currency at an instant (Unix ms), in US dollars; NaN if unknown. */
export type UsdRate = (at: number) => number;

/** NaN if the figure or the currency's value (`worth`, in US dollars) is unknown. */
function inUnits(dollars: number, worth: number): number {
  const figure = dollars / worth;
  return Number.isFinite(figure) ? figure : Number.NaN;
}

/** Null if the figure is null or cannot be converted. */
export function convertFigure<Figure extends number | null>(dollars: Figure, worth: number): Figure | null {
  if (dollars === null) return null;
  const figure = inUnits(dollars, worth);
  return Number.isNaN(figure) ? null : (figure as Figure);
}

/** Reference rates of each instant's UTC date; `units` for one euro, undefined for the euro itself. */
export function usdRateFromRates(dollars: RateSeries, units: RateSeries | undefined): UsdRate {
  let date = Number.NaN;
  let worth = Number.NaN;
  return (at) => {
    if (startOfDate(at) === date) return worth;
    date = startOfDate(at);
    const [dollarsPerEuro, unitsPerEuro] = [dollars.at(date)?.rate, units ? units.at(date)?.rate : 1];
    worth = dollarsPerEuro === undefined || unitsPerEuro === undefined ? Number.NaN : dollarsPerEuro / unitsPerEuro;
    return worth;
  };
}

/** The nearest sample: of the same UTC date for days, else within the spacing of the interval. */
export function usdRateFromSamples(
  { at: times, price }: Pick<PointColumns, 'at' | 'price'>,
  interval: Interval,
): UsdRate {
  const furthest = interval === 'day' ? DAY : spacingOf(interval);
  return (at) => {
    const next = placeOf(times, at);
    let worth = Number.NaN;
    let nearest = furthest;
    for (const place of [next - 1, next]) {
      const time = times[place];
      if (time === undefined || (interval === 'day' && startOfDate(time) !== startOfDate(at))) continue;
      const apart = Math.abs(time - at);
      if (apart > nearest || Number.isNaN(price[place])) continue;
      worth = price[place] as number;
      nearest = apart;
    }
    return worth;
  };
}

/** Converts the columns `money` from US dollars, and leaves out rows without a known rate. */
function convertRows<Rows extends Columns>(rows: Rows, money: readonly (keyof Rows & string)[], worth: UsdRate): Rows {
  const places = new Uint32Array(rows.at.length);
  const worths = new Float64Array(rows.at.length);
  let count = 0;
  for (let place = 0; place < rows.at.length; place++) {
    const unit = worth(rows.at[place] as number);
    if (Number.isNaN(unit)) continue;
    places[count] = place;
    worths[count++] = unit;
  }
  const converted = Object.entries(rows).map(([name, column]) => {
    const mine = column instanceof Uint8Array ? new Uint8Array(count) : new Float64Array(count);
    const isMoney = money.includes(name as never);
    for (let i = 0; i < count; i++) {
      const figure = column[places[i] as number] as number;
      mine[i] = isMoney ? inUnits(figure, worths[i] as number) : figure;
    }
    return [name, mine];
  });
  return Object.fromEntries(converted);
}

export const convertColumns = (columns: PointColumns, worth: UsdRate): PointColumns =>
  convertRows(columns, ['price', 'marketCap', 'volume'], worth);

/** Converts each candle at the rate of its beginning; the volume is in tokens and stays. */
export const convertCandles = (columns: CandleColumns, worth: UsdRate): CandleColumns =>
  convertRows(columns, ['open', 'high', 'low', 'close'], worth);

const atOf = (date: string | null): number => (date === null ? Number.NaN : Date.parse(date));

/** Highs and lows convert at their dates' rates, the rest at `now`. Undefined if the price cannot be converted. */
export function convertLatest(record: LatestPrice, now: number, worth: UsdRate): LatestPrice | undefined {
  const current_price = convertFigure(record.current_price, now);
  if (current_price === null) return undefined;
  return {
    ...record,
    current_price,
    market_cap: convertFigure(record.market_cap, now),
    total_volume: convertFigure(record.total_volume, now),
    ath: convertFigure(record.ath, worth(atOf(record.ath_date))),
    atl: convertFigure(record.atl, worth(atOf(record.atl_date))),
  };
}
