import { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Market } from '#prices/market';
import { rangeWindow } from '#prices/model/interval';
import { priceSeries } from '#prices/model/records';
import type { PointColumns } from '#prices/model/series';
import { INTERVALS } from '#prices/routes-history';
import { provenanceOf } from '../answer.ts';
import { isoTime, isoTimeSchema } from '../dates.ts';
import type { ToolParameters } from '../parameters.ts';
import { readSeries, SERIES_INTERVALS } from '../series.ts';
import { defineTool, priceProvenance } from '../tool.ts';

const COLUMNS = ['date', 'price', 'market_cap', 'total_volume'] as const;
const figure = priceSeries.shape.prices.element.shape.price.nullable();
const point = z.object({ date: isoTimeSchema, price: figure, market_cap: figure, total_volume: figure });

type Point = { at: number; price: number; market_cap: number; total_volume: number };

/** One point per second: the last known figure of each second, as in the CSV. NaN if a figure is missing. */
function pointsOf({ at, price, marketCap, volume }: PointColumns): Point[] {
  const points = new Map<string, Point>();
  for (let i = 0; i < at.length; i++) {
    const instant = at[i] as number;
    const key = isoTime(instant);
    const before = points.get(key);
    const pick = (figures: Float64Array, name: 'price' | 'market_cap' | 'total_volume') =>
      Number.isNaN(figures[i]) ? (before?.[name] ?? Number.NaN) : (figures[i] as number);
    points.set(key, {
      at: instant,
      price: pick(price, 'price'),
      market_cap: pick(marketCap, 'market_cap'),
      total_volume: pick(volume, 'total_volume'),
    });
  }
  return [...points.values()];
}

const known = (figure: number) => (Number.isNaN(figure) ? null : figure);

type Dependencies = { market: Pick<Market, 'points'>; parameters: ToolParameters; clock: Clock };

export const getPriceHistory = ({ market, parameters, clock }: Dependencies) =>
  defineTool({
    name: 'get_price_history',
    title: 'Get price history',
    description:
      'A series of price, market cap and volume of a token between two dates, for trends and changes over time. More than ' +
      '500 points are returned at a coarser interval, with a note. Costs 1 call.',
    scope: 'prices',
    cost: () => 1,
    input: parameters.window,
    output: z.object({ interval: z.enum(SERIES_INTERVALS), points: z.array(point), ...priceProvenance }),

    async call({ tokenName, fromDate, thruDate, interval: requested, currency }) {
      const { rows, facts, interval, note } = await readSeries({
        interval: requested,
        span: rangeWindow(INTERVALS[requested], fromDate, thruDate, clock.now()).span,
        async read(fine) {
          const { columns, ...facts } = await market.points(tokenName, fine, fromDate, thruDate, currency);
          return { rows: pointsOf(columns), facts };
        },
        // The first point of each week or month, and the last point of all.
        combine: (bucket, isLast) =>
          [...new Set([bucket[0], isLast ? bucket.at(-1) : undefined])].filter((one) => one !== undefined),
      });
      const points = rows.map(({ at, price, market_cap, total_volume }) => ({
        date: isoTime(at),
        price: known(price),
        market_cap: known(market_cap),
        total_volume: known(total_volume),
      }));
      return {
        data: { interval, points },
        columns: COLUMNS,
        rows: points.map(Object.values),
        note,
        ...provenanceOf(facts),
      };
    },
  });
