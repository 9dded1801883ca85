import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { DAY } from '#core/clock';
import type { DataResponse } from '#server/responses/response-body';
import { ONE_CALL, type RouteOptions } from './charged-routes.ts';
import { basesOf, quoteRates } from './currencies.ts';
import { type CoinParts, coinRecord } from './figures/coin-record.ts';
import { coinId, contractAddress, flag } from './parameters.ts';

const parts = {
  localization: flag('Whether to return `localization`', true),
  tickers: flag('Whether to return `tickers`, which are empty', true),
  market_data: flag('Whether to return `market_data`', true),
  community_data: flag('Whether to return `community_data`, whose members are null', true),
  developer_data: flag('Whether to return `developer_data`, whose members are null', true),
  sparkline: flag('Adds `sparkline_7d`, the archived hourly prices of 7 days'),
};
const ALL_PARTS: CoinParts = z.object(parts).parse({});
const YEAR = 365 * DAY;

const record = z.record(z.string(), z.unknown()).meta({
  description: 'The coin. Members for which the service has no data are empty or null.',
  examples: [{ id: 'bitcoin', symbol: 'btc', name: 'Bitcoin', market_data: { current_price: { usd: 84001.9 } } }],
});

export const coinDetails: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { coins, coinList, currencies, market, send } = options;
  const quotes = [...currencies.values()];

  async function respond(token: Token, wanted: CoinParts, contract?: string): Promise<DataResponse> {
    const platforms = (await coinList.storedPlatforms([token.name])).get(token.name);
    return market.figures<object>({
      requestKey: `coingecko coin ${token.name} ${JSON.stringify([wanted, contract, platforms])}`,
      tokens: [token],
      currencies: wanted.market_data ? basesOf(quotes) : [],
      withExtremes: true,
      ratesOf: YEAR,
      rows: ([priced], rates) => [coinRecord(token, priced, quoteRates(quotes, rates), platforms, wanted, contract)],
      write: (rows) => rows.map((row) => JSON.stringify(row)),
      cost: () => 1,
    });
  }

  const tags = ['coingecko'];
  const response = { 200: record };
  const config = { ...ONE_CALL, headers: ['Quotient-Token?'] } as const;
  const coin = {
    tags,
    summary: 'Read a coin with its figures in all currencies',
    description: 'As CoinGecko’s path of the same name.',
    operationId: 'getCoinGeckoCoin',
    params: coinId,
    querystring: z.object(parts),
    response,
  };
  const contract = {
    tags,
    summary: 'Read a coin by contract address',
    description: 'As CoinGecko’s path of the same name.',
    operationId: 'getCoinGeckoCoinByContract',
    params: contractAddress,
    response,
  };

  app.get('/coins/:id', { schema: coin, config }, async (request, reply) => {
    const { user, params, query } = request;
    const token = await coins.find(user, params.id);
    return send(request, reply, coins.noted(await respond(token, query), [params.id]));
  });
  app.get('/coins/:platform/contract/:address', { schema: contract, config }, async (request, reply) => {
    const { user, params } = request;
    const { token, address } = await coins.withAddress(user, params.platform, params.address);
    return send(request, reply, respond(token, ALL_PARTS, address));
  });
};
