import { z } from 'zod';
import { type TokenPrice, tokenPrice } from '#prices/latest/latest-records';
import { type DateSnapshot, dateSnapshot } from '#prices/model/prices-records';
import type { Market } from '#prices/open-market';
import { callsFor } from '#prices/parameters';
import type { ToolParameters } from '../parameters.ts';
import { defineTool, priceProvenance } from '../tool.ts';
import { isoOfHttpDate, isoTimeSchema, resultFrom, write } from '../tool-response.ts';

const COLUMNS = ['tokenName', 'current_price', 'change_24h', 'market_cap', 'total_volume', 'at'] as const;
const time = isoTimeSchema.nullable();

function writePrices(records: readonly TokenPrice[]) {
  const prices = records.map((price) => ({
    ...price,
    at: isoOfHttpDate(price.at),
    ath_date: isoOfHttpDate(price.ath_date),
    atl_date: isoOfHttpDate(price.atl_date),
  }));
  const rows = prices.map((price) => COLUMNS.map((column) => price[column]));
  return write({ prices }, COLUMNS, rows);
}

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

    call: ({ tokenNames, currency }) => resultFrom(market.latestOf(tokenNames, currency), writePrices),
  });

const SNAPSHOT_COLUMNS = ['current_price', 'market_cap', 'total_volume'] as const;

const writeSnapshot = ([snapshot]: readonly [DateSnapshot]) =>
  write(snapshot, SNAPSHOT_COLUMNS, [SNAPSHOT_COLUMNS.map((column) => snapshot[column])]);

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

    call: ({ tokenName, date, currency }) => resultFrom(market.date(tokenName, date, 'json', currency), writeSnapshot),
  });
