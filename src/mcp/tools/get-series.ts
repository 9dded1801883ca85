import { z } from 'zod';
import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Candles } from '#prices/candles/candles';
import { type Form, figureAt, inJson, isLastOfSecond } from '#prices/history/series-text';
import type { WindowSize } from '#prices/history/window-reader';
import {
  CANDLE_INTERVAL_NAMES,
  type CandleColumns,
  type CandleInterval,
  type CandleWindow,
  candleWindow,
  storedIntervalOf,
} from '#prices/model/candle';
import { candle, priceSeries } from '#prices/model/prices-records';
import type { PointColumns } from '#prices/model/series';
import type { Market } from '#prices/open-market';
import type { ToolParameters } from '../parameters.ts';
import { inBuckets, intervalToRead, noteOf, SERIES_INTERVALS, type SeriesInterval } from '../thin-series.ts';
import { defineTool, priceProvenance, type Row, type Tool } from '../tool.ts';
import { isoTime, isoTimeSchema, resultFrom, write } from '../tool-response.ts';

const figure = priceSeries.shape.prices.element.shape.price.nullable();
const point = z.object({ date: isoTimeSchema, price: figure, market_cap: figure, total_volume: figure });

/** Writes at most 500 points, one per second as in the CSV: of a longer series, the first of each week or month. */
const pointsFrom = (read: CandleInterval): Form<PointColumns> => ({
  name: 'points',
  *render({ at, price, marketCap, volume }) {
    const rows = Array.from(at.keys()).filter((i) => isLastOfSecond(at, i));
    const times = rows.map((i) => at[i] as number);
    const { interval, starts } = inBuckets(times, read);
    const shown = [...new Set([...starts.map((start) => rows[start] as number), ...rows.slice(-1)])];
    yield `{"interval":"${interval}","points":`;
    yield* inJson(shown.length, (place) => {
      const i = shown[place] as number;
      // JSON has no NaN: a missing figure is written as null.
      return {
        date: isoTime(at[i] as number),
        price: figureAt(at, price, i),
        market_cap: figureAt(at, marketCap, i),
        total_volume: figureAt(at, volume, i),
      };
    });
    yield '}';
  },
});

/** Writes at most 500 candles. A longer series is combined into candles of hours, days, weeks or months. */
const candlesFrom = (read: CandleInterval): Form<CandleColumns> => ({
  name: 'candles',
  *render({ at, open, high, low, close, volume }) {
    const { interval, starts } = inBuckets([...at], read);
    yield `{"interval":"${interval}","candles":`;
    yield* inJson(starts.length, (place) => {
      const start = starts[place] as number;
      const end = starts[place + 1] ?? at.length;
      return {
        date: isoTime(at[start] as number),
        open: open[start],
        high: Math.max(...high.subarray(start, end)),
        low: Math.min(...low.subarray(start, end)),
        close: close[end - 1],
        volume: volume.subarray(start, end).reduce((sum, traded) => sum + traded, 0),
      };
    });
    yield '}';
  },
});

/**
 * `member` contains the rows, each with the members of `row`. `readable` contains the intervals, from fine to coarse.
 * `windowOf` returns the rows that are read for one of them.
 */
type Series<Columns> = Pick<Tool, 'name' | 'title' | 'description'> & {
  member: string;
  row: z.ZodObject;
  input: ToolParameters['window'];
  readable: readonly CandleInterval[];
  windowOf: (interval: CandleInterval, fromDate: number, thruDate: number) => CandleWindow;
  size: (token: TokenName, window: CandleWindow) => WindowSize;
  read: (form: Form<Columns>, input: z.output<ToolParameters['window']>) => ReturnType<Market['rangeAs']>;
  formOf: (read: CandleInterval) => Form<Columns>;
};

/** A tool that returns a series at the requested interval, or at the finest one with at most 500 rows. */
function seriesTool<Columns>({
  member,
  row,
  input,
  readable,
  windowOf,
  size,
  read,
  formOf,
  ...words
}: Series<Columns>) {
  const columns = Object.keys(row.shape);
  const writeSeries = (series: { interval: SeriesInterval; [member: string]: unknown }) => ({
    interval: series.interval,
    ...write(series, columns, series[member] as readonly Row[]),
  });
  return defineTool({
    ...words,
    scope: 'prices',
    cost: () => 1,
    input,
    output: z.object({ interval: z.enum(SERIES_INTERVALS), [member]: z.array(row), ...priceProvenance }),

    call(parameters, { caller }) {
      const { tokenName, fromDate, thruDate, interval: requested } = parameters;
      const interval = intervalToRead(readable, requested, (candidate) => windowOf(candidate, fromDate, thruDate).span);
      const respond = () =>
        resultFrom(read(formOf(interval), { ...parameters, interval }), writeSeries, (written) =>
          noteOf(requested, written.interval),
        );
      const turn = caller.turn(size(tokenName, windowOf(interval, fromDate, thruDate)));
      return turn ? turn.then(respond) : respond();
    },
  });
}

type Dependencies = {
  market: Pick<Market, 'rangeAs' | 'size'>;
  candles: Pick<Candles, 'rangeAs' | 'size'>;
  parameters: ToolParameters;
  clock: Clock;
};

export const getPriceHistory = ({ market, parameters, clock }: Omit<Dependencies, 'candles'>) =>
  seriesTool({
    name: 'get_price_history',
    title: 'Get price history',
    description:
      'A series of price, market cap and volume of a token between two dates, for trends and changes over time. More than ' +
      '500 points are returned at a coarser interval, with a note. Costs 1 call.',
    member: 'points',
    row: point,
    input: parameters.window,
    readable: ['minute', 'hourly', 'daily'],
    windowOf: (interval, from, thru) => candleWindow(interval, from, thru, clock.now()),
    size: market.size,
    read: (form, { tokenName, interval, fromDate, thruDate, currency }) =>
      market.rangeAs(form, tokenName, storedIntervalOf(interval), fromDate, thruDate, currency),
    formOf: pointsFrom,
  });

export const getCandles = ({ candles, parameters, clock }: Omit<Dependencies, 'market'>) =>
  seriesTool({
    name: 'get_candles',
    title: 'Get candles',
    description:
      'Candles of a token between two dates: open, high, low, close and traded volume (in tokens, on Kraken), for the ' +
      'highest and lowest prices of days or hours. More than 500 are combined. Costs 1 call.',
    member: 'candles',
    row: candle.extend({ date: isoTimeSchema }),
    input: parameters.candleWindow,
    readable: CANDLE_INTERVAL_NAMES,
    windowOf: (interval, from, thru) => candleWindow(interval, from, thru, clock.now()),
    size: candles.size,
    read: (form, { tokenName, interval, fromDate, thruDate, currency }) =>
      candles.rangeAs(form, tokenName, interval, fromDate, thruDate, currency),
    formOf: candlesFrom,
  });
