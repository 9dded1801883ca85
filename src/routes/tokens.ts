import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { iso, isoDate } from '#domain/clock';
import { INTERVALS, type Interval } from '#domain/market/interval';
import { type TokenRecord, tokenRecord } from '#domain/records';
import type { Market } from '#services/market/market';

const list = {
  tags: ['tokens'],
  summary: 'The tokens that are served, and what the archive holds of each',
  operationId: 'listTokens',
  response: { 200: z.array(tokenRecord).meta({ description: 'Every token' }) },
};

const PRICES = [
  '/v1/prices/latest/token',
  '/v1/prices/history/date',
  '/v1/prices/history/days',
  '/v1/prices/history/date/range',
  '/v1/prices/history/ohlc',
];
const STATISTICS = '/v1/prices/latest/stats';

function toRecord({ token, listedAt, held }: Awaited<ReturnType<Market['tokens']>>[number]): TokenRecord {
  const of = (interval: Interval) => {
    const row = held.find((one) => one.interval === interval);
    return row
      ? { from: iso(row.from), thru: iso(row.thru), points: row.points }
      : { from: null, thru: null, points: 0 };
  };
  const archive = Object.fromEntries(
    INTERVALS.map((interval) => [interval, of(interval)]),
  ) as TokenRecord['archive'];
  const endpoints = token.statistics ? [...PRICES, STATISTICS] : PRICES;
  const { name: tokenName, symbol, title } = token;
  return { tokenName, symbol, title, listed: isoDate(listedAt), endpoints, archive };
}

export const tokens: FastifyPluginAsyncZod<{ market: Market }> = async (app, { market }) => {
  app.get('/tokens', { schema: list, config: { open: true, problems: ['database_unavailable'] } }, async () =>
    (await market.tokens()).map(toRecord),
  );
};
