import type { CandleColumns } from '#domain/candles/candle-columns';
import { DAY, startOfDate } from '#domain/clock';
import { type Interval, spacingOf } from '#domain/market/interval';
import type { Columns } from '#domain/market/series';
import type { LatestPrice } from '#domain/records';
import type { RateSeries } from './rates.ts';

/** What one unit of a currency is worth at an instant (Unix ms), in US dollars; NaN where nobody can say. */
export type Worth = (at: number) => number;

/**
 * A figure in US dollars in another currency; NaN where it, or the worth of the currency, is not known.
 * @param worth of one unit, in US dollars
 */
function inUnits(dollars: number, worth: number): number {
  const figure = dollars / worth;
  return Number.isFinite(figure) ? figure : Number.NaN;
}

/** As `inUnits`, of a figure that may be null, and is where it cannot be converted. */
export function convertFigure<Figure extends number | null>(dollars: Figure, worth: number): Figure | null {
  if (dollars === null) return null;
  const figure = inUnits(dollars, worth);
  return Number.isNaN(figure) ? null : (figure as Figure);
}

/**
 * The worth of a currency by reference rates: each instant by those of its own UTC date.
 * @param units of the currency for one euro; undefined for the euro itself
 */
export function worthByRates(dollars: RateSeries, units: RateSeries | undefined): Worth {
  let date = Number.NaN;
  let worth = Number.NaN;
  return (at) => {
    if (startOfDate(at) === date) return worth;
    date = startOfDate(at);
    const [dollarsPerEuro, unitsPerEuro] = [dollars.at(date)?.rate, units ? units.at(date)?.rate : 1];
    worth =
      dollarsPerEuro === undefined || unitsPerEuro === undefined ? Number.NaN : dollarsPerEuro / unitsPerEuro;
    return worth;
  };
}

/**
 * The worth of a token by its own samples: of a day the one that is nearest on the same UTC date, else the nearest of all
 * that is no further away than samples of the interval lie apart.
 */
export function worthBySamples(
  { at: times, price }: Pick<Columns, 'at' | 'price'>,
  interval: Interval,
): Worth {
  const furthest = interval === 'day' ? DAY : spacingOf(interval);
  return (at) => {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    let worth = Number.NaN;
    let nearest = furthest;
    for (const place of [low - 1, low]) {
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

/** The places of the rows at whose time the worth of a currency is known, and what it is there. */
function known(times: Float64Array, worth: Worth) {
  const places: number[] = [];
  const worths: number[] = [];
  times.forEach((at, place) => {
    const unit = worth(at);
    if (Number.isNaN(unit)) return;
    places.push(place);
    worths.push(unit);
  });
  return { places, worths };
}

/** A series in another currency. Rows of a time at which nobody can say its worth are left out. */
export function convertColumns(columns: Columns, worth: Worth): Columns {
  const { places, worths } = known(columns.at, worth);
  const money = (column: Float64Array) =>
    Float64Array.from(places, (place, i) => inUnits(column[place] as number, worths[i] as number));
  return {
    at: Float64Array.from(places, (place) => columns.at[place] as number),
    price: money(columns.price),
    marketCap: money(columns.marketCap),
    volume: money(columns.volume),
    settled: Uint8Array.from(places, (place) => columns.settled[place] as number),
    source: Uint8Array.from(places, (place) => columns.source[place] as number),
  };
}

/** Candles in another currency, each by its worth when the candle begins; the volume is in tokens and stays. */
export function convertCandles(columns: CandleColumns, worth: Worth): CandleColumns {
  const { places, worths } = known(columns.at, worth);
  const money = (column: Float64Array) =>
    Float64Array.from(places, (place, i) => inUnits(column[place] as number, worths[i] as number));
  return {
    at: Float64Array.from(places, (place) => columns.at[place] as number),
    open: money(columns.open),
    high: money(columns.high),
    low: money(columns.low),
    close: money(columns.close),
    volume: Float64Array.from(places, (place) => columns.volume[place] as number),
    settled: Uint8Array.from(places, (place) => columns.settled[place] as number),
  };
}

const atOf = (date: string | null): number => (date === null ? Number.NaN : Date.parse(date));

/**
 * A latest price record in another currency: the highest and the lowest price by its worth at their own dates, the rest
 * by what it is worth now. Supplies stay, and so do percentages, which are of dollars.
 *
 * @param now the worth of one unit now
 * @returns undefined where the price cannot be converted
 */
export function convertLatest(record: LatestPrice, now: number, worth: Worth): LatestPrice | undefined {
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
