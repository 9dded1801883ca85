import { z } from 'zod';
import { type DateSnapshot, dateSnapshot } from '#prices/model/prices-records';
import type { Market } from '#prices/open-market';
import type { ToolParameters } from '../parameters.ts';
import { defineTool, priceProvenance } from '../tool.ts';
import { jsonOf, provenanceOf } from '../tool-response.ts';

const COLUMNS = ['current_price', 'market_cap', 'total_volume'] as const;

export const getPriceOnDate = (market: Pick<Market, 'date'>, { token, date, currency }: ToolParameters) =>
  defineTool({
    name: 'get_price_on_date',
    title: 'Get the price on a date',
    description:
      'Price, market cap and volume of a token at 00:00 UTC on one date, up to today. Costs 1 call. For several dates, ' +
      'use get_price_history.',
    scope: 'prices',
    cost: () => 1,
    input: z.object({ tokenName: token, date, currency }),
    output: dateSnapshot.extend(priceProvenance),

    async call({ tokenName, date, currency }) {
      const response = await market.date(tokenName, date, 'json', currency);
      const [snapshot] = jsonOf<[DateSnapshot]>(response);
      return {
        data: snapshot,
        columns: COLUMNS,
        rows: [COLUMNS.map((column) => snapshot[column])],
        ...provenanceOf(response),
      };
    },
  });
