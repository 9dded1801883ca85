import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { DAY } from '#core/clock';
import { Problem } from '#core/problems';
import { DOLLAR } from '#prices/model/currency';
import type { Market } from '#prices/open-market';
import { date as dateParameter } from '#prices/parameters';
import { bodyOf, type DataResponse } from '#server/responses/response-body';
import { emptyResponse, ONE_CALL, type RouteOptions } from '../charged-routes.ts';
import { basesOf } from '../currencies.ts';
import { beyondReach } from '../errors.ts';
import { COMMUNITY_DATA, DEVELOPER_DATA, imagesOf } from '../figures/coin-record.ts';
import { coinId, flag } from '../parameters.ts';

const record = z.record(z.string(), z.unknown()).meta({
  description: 'The figures at 00:00 UTC in all currencies. `market_data` is missing if there are none.',
  examples: [{ id: 'bitcoin', symbol: 'btc', name: 'Bitcoin', market_data: { current_price: { usd: 84001.9 } } }],
});

export const coinHistory: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { coins, currencies, market, send, clock } = options;
  const quotes = [...currencies.values()];

  /** The value of each currency at the time of a sample, in US dollars. */
  async function ratesAt(at: number, window: Parameters<Market['valuationOf']>[1]): Promise<Map<string, number>> {
    const rates = await Promise.all(
      basesOf(quotes).map(async (base): Promise<[string, number]> => {
        if (base === DOLLAR) return [base, 1];
        const { usdRate } = await market.valuationOf(base, window);
        return [base, usdRate(at)];
      }),
    );
    return new Map(rates);
  }

  /** Undefined if the token has no data of that date. */
  async function sampleOf({ name }: Token, date: number) {
    try {
      return await market.sample(name, date);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'no_data') return undefined;
      const isOld = date + DAY - 1 < market.reach('day') && error.cause === undefined;
      if (error.code === 'upstream_unavailable' && isOld) throw beyondReach(error.message);
      throw error;
    }
  }

  async function respond(token: Token, date: number, isLocalized: boolean): Promise<DataResponse> {
    const { name: id, symbol, title: name } = token;
    const found = await sampleOf(token, date);
    const rates = found && (await ratesAt(found.sample.at, found.window));
    const inAll = (dollars: number | null) =>
      Object.fromEntries(
        quotes.flatMap(({ code, base, perUnit }) => {
          const rate = rates?.get(base) ?? Number.NaN;
          if (Number.isNaN(rate)) return [];
          return [[code, dollars === null ? null : (dollars / rate) * perUnit]];
        }),
      );
    const latest = await market.loadedLatest(id);
    const { thumb, small } = imagesOf(latest?.market?.image);
    const { price = null, marketCap = null, volume = null } = found?.sample ?? {};
    const body = JSON.stringify({
      ...{ id, symbol, name },
      ...(isLocalized && { localization: { en: name } }),
      image: { thumb, small },
      ...(found && {
        market_data: { current_price: inAll(price), market_cap: inAll(marketCap), total_volume: inAll(volume) },
      }),
      community_data: COMMUNITY_DATA,
      developer_data: DEVELOPER_DATA,
      public_interest_stats: { alexa_rank: null, bing_matches: null },
    });
    if (found)
      return { ...found.response, body: bodyOf(body), modifiedAt: found.sample.at, source: found.sample.source };
    return emptyResponse(body, clock.now());
  }

  const schema = {
    tags: ['coingecko'],
    summary: 'Read the figures of a coin on a date',
    description: 'As CoinGecko’s path of the same name. For a date before the first price, `market_data` is missing.',
    operationId: 'getCoinGeckoHistory',
    params: coinId,
    querystring: z.object({
      date: dateParameter(['DD-MM-YYYY', 'YYYY-MM-DD'], clock),
      localization: flag('Whether to return `localization`', true),
    }),
    response: { 200: record },
  };
  const config = { ...ONE_CALL, headers: ['Quotient-Token?'] } as const;

  app.get('/coins/:id/history', { schema, config }, async (request, reply) => {
    const { user, params, query } = request;
    const token = await coins.find(user, params.id);
    return send(request, reply, coins.noted(await respond(token, query.date, query.localization), [params.id]));
  });
};
