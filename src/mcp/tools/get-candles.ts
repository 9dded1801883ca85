import { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Candles } from '#prices/candles/candles';
import type { Candle, CandleColumns } from '#prices/model/candle';
import { rangeWindow } from '#prices/model/interval';
import { candle } from '#prices/model/records';
import { INTERVALS } from '#prices/routes-history';
import { provenanceOf } from '../answer.ts';
import { isoTime, isoTimeSchema } from '../dates.ts';
import type { ToolParameters } from '../parameters.ts';
import { readSeries, SERIES_INTERVALS } from '../series.ts';
import { defineTool, priceProvenance } from '../tool.ts';

const COLUMNS = ['date', 'open', 'high', 'low', 'close', 'volume'] as const;
const FIGURES = ['open', 'high', 'low', 'close', 'volume'] as const;

const candlesOf = (columns: CandleColumns): Candle[] =>
  Array.from(columns.at, (at, i) => {
    const [open, high, low, close, volume] = FIGURES.map((name) => columns[name][i] as number) as [
      ...[number, number, number, number, number],
    ];
    return { at, open, high, low, close, volume };
  });

/** The candle of a week or month. */
function combined(candles: readonly Candle[]): Candle[] {
  const [first, last] = [candles[0] as Candle, candles.at(-1) as Candle];
  const high = Math.max(...candles.map((one) => one.high));
  const low = Math.min(...candles.map((one) => one.low));
  const volume = candles.reduce((sum, one) => sum + one.volume, 0);
  return [{ at: first.at, open: first.open, high, low, close: last.close, volume }];
}

type Dependencies = { candles: Pick<Candles, 'points'>; parameters: ToolParameters; clock: Clock };

export const getCandles = ({ candles, parameters, clock }: Dependencies) =>
  defineTool({
    name: 'get_candles',
    title: 'Get candles',
    description:
      'Candles of a token between two dates: open, high, low, close and traded volume (in tokens, on Kraken), for the ' +
      'highest and lowest prices of days or hours. More than 500 are combined. Costs 1 call.',
    scope: 'prices',
    cost: () => 1,
    input: parameters.window,
    output: z.object({
      interval: z.enum(SERIES_INTERVALS),
      candles: z.array(candle.extend({ date: isoTimeSchema })),
      ...priceProvenance,
    }),

    async call({ tokenName, fromDate, thruDate, interval: requested, currency }) {
      const { rows, facts, interval, note } = await readSeries({
        interval: requested,
        span: rangeWindow(INTERVALS[requested], fromDate, thruDate, clock.now()).span,
        async read(fine) {
          const { columns, ...facts } = await candles.points(tokenName, fine, fromDate, thruDate, currency);
          return { rows: candlesOf(columns), facts };
        },
        combine: combined,
      });
      const given = rows.map(({ at, ...figures }) => ({ date: isoTime(at), ...figures }));
      return {
        data: { interval, candles: given },
        columns: COLUMNS,
        rows: given.map(Object.values),
        note,
        ...provenanceOf(facts),
      };
    },
  });
