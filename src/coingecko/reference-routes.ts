import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { bodyOfList } from '#prices/history/series-text';
import { bodyOf } from '#server/responses/response-body';
import { sendShared } from '#server/responses/static-content';
import { FREE, OPEN, type RouteOptions } from './charged-routes.ts';
import { basesOf, describeCurrency, quoteRates } from './currencies.ts';
import { figuresIn } from './figures/coin-figures.ts';
import { imagesOf } from './figures/coin-record.ts';
import { choice, flag, plainText } from './parameters.ts';
import { createSharedLists } from './shared-lists.ts';

const MAX_FOUND = 25;
const [BITCOIN] = BUILT_IN_TOKENS;

const type = 'application/json; charset=utf-8';
const headers = ['ETag', 'Vary'] as const;
const config = { ...FREE, headers } as const;
const ofPrices = [...headers, 'Last-Modified', 'Cache-Status', 'Quotient-Source', 'Age?', 'Quotient-Token?'] as const;

const described = (summary: string, operationId: string) => ({
  tags: ['coingecko'],
  summary,
  operationId,
  description: 'As CoinGecko’s path of the same name. Free of charge.',
});
const rows = (description: string, example: object) =>
  z.array(z.record(z.string(), z.unknown())).meta({ description, examples: [[example]] });

const gecko_says = '(V3) To the Moon!';
const pong = z.object({ gecko_says: z.string().meta({ examples: [gecko_says] }) });
const ping = { ...described('Check that the API responds', 'getCoinGeckoPing'), response: { 200: pong } };

const codes = z.array(z.string()).meta({ description: 'Currency codes', examples: [['usd', 'eur', 'btc']] });
const supported = { ...described('List the currencies', 'getCoinGeckoCurrencies'), response: { 200: codes } };

const list = {
  ...described('List the coins', 'getCoinGeckoCoinsList'),
  querystring: z.object({
    include_platform: flag('Adds the contract addresses by platform'),
    status: choice('Only active coins are listed', ['active', 'inactive']),
  }),
  response: { 200: rows('The served tokens by ID', { id: 'bitcoin', symbol: 'btc', name: 'Bitcoin' }) },
};

const found = {
  ...described('Search coins', 'searchCoinGecko'),
  querystring: z.object({ query: plainText('A part of an ID, a symbol or a name', 'bit') }),
  response: {
    200: z.record(z.string(), z.array(z.unknown())).meta({
      description: 'The served tokens that match, those with the largest market cap first. Other lists are empty.',
      examples: [{ coins: [{ id: 'bitcoin', symbol: 'BTC' }], exchanges: [], icos: [], categories: [], nfts: [] }],
    }),
  },
};

const platforms = {
  ...described('List the platforms of contracts', 'getCoinGeckoPlatforms'),
  querystring: z.object({ filter: choice('`nft` lists no platform', ['all', 'nft']) }),
  response: { 200: rows('The platforms in CoinGecko’s list of coins', { id: 'ethereum', chain_identifier: 1 }) },
};

const exchangeRates = {
  ...described('Read the value of a bitcoin in all currencies', 'getCoinGeckoExchangeRates'),
  response: {
    200: z.object({ rates: z.record(z.string(), z.record(z.string(), z.unknown())) }).meta({
      description: 'The name, the unit, the value of one bitcoin and the type of each currency',
      examples: [{ rates: { usd: { name: 'US Dollar', unit: '$', value: 84001.9, type: 'fiat' } } }],
    }),
  },
};

/** Matches, those with the largest market cap first. */
async function search({ catalogue, market }: RouteOptions, text: string): Promise<object[]> {
  const searched = text.trim().toLowerCase();
  const ranks = await market.ranking();
  const cap = ({ name }: Token) => ranks.get(name)?.marketCap ?? -1;
  return catalogue
    .all()
    .filter(({ name, symbol, title }) => [name, symbol, title.toLowerCase()].some((one) => one.includes(searched)))
    .toSorted((a, b) => cap(b) - cap(a))
    .slice(0, MAX_FOUND)
    .map(({ name: id, symbol, title: name }) => {
      const { rank = null, image } = ranks.get(id) ?? {};
      const { thumb, large } = imagesOf(image);
      return { id, name, api_symbol: id, symbol: symbol.toUpperCase(), market_cap_rank: rank, thumb, large };
    });
}

export const coinReference: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { currencies, market, send } = options;
  const quotes = [...currencies.values()];
  const lists = createSharedLists(options);
  const none = await bodyOfList([]);
  const unrounded = (value: number): number => value;
  const codesOfAll = await bodyOfList([...currencies.keys()]);

  app.get('/ping', { schema: ping, config: { ...OPEN, headers } }, async (request, reply) =>
    sendShared(request, reply, bodyOf(JSON.stringify({ gecko_says })), { type }),
  );
  app.get('/simple/supported_vs_currencies', { schema: supported, config }, async (request, reply) =>
    sendShared(request, reply, codesOfAll, { type }),
  );
  app.get('/coins/list', { schema: list, config }, async (request, reply) => {
    const { include_platform, status } = request.query;
    const body = status === 'active' ? await lists.coins(include_platform) : none;
    return sendShared(request, reply, body, { type });
  });

  app.get('/search', { schema: found, config }, async (request, reply) => {
    const coins = await search(options, request.query.query);
    const body = bodyOf(JSON.stringify({ coins, exchanges: [], icos: [], categories: [], nfts: [] }));
    return sendShared(request, reply, body, { type });
  });

  app.get('/asset_platforms', { schema: platforms, config }, async (request, reply) => {
    const body = request.query.filter === 'nft' ? none : await lists.platforms();
    return sendShared(request, reply, body, { type });
  });

  app.get('/exchange_rates', { schema: exchangeRates, config: { ...FREE, headers: ofPrices } }, (request, reply) =>
    send(
      request,
      reply,
      market.figures<[string, object]>({
        requestKey: 'coingecko exchange_rates',
        tokens: [BITCOIN],
        currencies: basesOf(quotes),
        rows: ([bitcoin], latestRates) =>
          quoteRates(quotes, latestRates).flatMap((rate): [string, object][] => {
            const value = bitcoin && figuresIn(bitcoin, rate, unrounded)?.price;
            const { name, unit, type } = describeCurrency(rate.code);
            return value === undefined ? [] : [[rate.code, { name, unit, value, type }]];
          }),
        write: (rates) => [JSON.stringify({ rates: Object.fromEntries(rates) })],
        cost: () => 0,
      }),
    ),
  );
};
