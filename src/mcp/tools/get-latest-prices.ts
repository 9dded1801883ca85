import { z } from 'zod';
import { isoOfHttpDate, isoTimeSchema } from '#mcp/dates';
import type { ToolParameters } from '#mcp/parameters';
import { defineTool, priceProvenance } from '#mcp/tool';
import { jsonOf, provenanceOf } from '#mcp/tool-response';
import { type TokenPrice, tokenPrice } from '#prices/latest/latest-records';
import type { Market } from '#prices/open-market';
import { callsFor } from '#prices/parameters';

const COLUMNS = ['tokenName', 'current_price', 'change_24h', 'market_cap', 'total_volume', 'at'] as const;
const time = isoTimeSchema.nullable();

export const getLatestPrices = (market: Pick<Market, 'latestOf'>, { tokens, currency }: ToolParameters) =>
  defineTool({
    name: 'get_latest_prices',
    title: 'Get latest prices',
    description:
      'Current price, 24-hour change in percent, market cap, volume, supply, and all-time high and low of 1 to 100 tokens. ' +
      'Use one call to compare or rank tokens. Costs 1 call per 10 tokens.',
    scope: 'prices',
    cost: ({ tokenNames }) => callsFor(tokenNames.length),
    input: z.object({ tokenNames: tokens, currency }),
    output: z.object({
      prices: z.array(tokenPrice.omit({ sparkline_24h: true }).extend({ at: time, ath_date: time, atl_date: time })),
      ...priceProvenance,
    }),

    async call({ tokenNames, currency }) {
      const response = await market.latestOf(tokenNames, currency);
      const prices = jsonOf<TokenPrice[]>(response).map((price) => ({
        ...price,
        at: isoOfHttpDate(price.at),
        ath_date: isoOfHttpDate(price.ath_date),
        atl_date: isoOfHttpDate(price.atl_date),
      }));
      const rows = prices.map((price) => COLUMNS.map((column) => price[column]));
      return { data: { prices }, columns: COLUMNS, rows, ...provenanceOf(response) };
    },
  });
