import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { enclosed } from '#prices/history/series-text';
import type { PricedToken } from '#prices/latest/latest-figures';
import type { DataResponse } from '#server/responses/response-body';
import { NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { callsFor, emptyResponse, PER_COIN, type RouteOptions } from './charged-routes.ts';
import type { NamedCoin } from './coins.ts';
import { basesOf, type QuoteCurrency, type QuoteRate, quoteRates, seconds } from './currencies.ts';
import { figuresIn, type Round } from './figures/coin-figures.ts';
import {
  addresses,
  choice,
  flag,
  list,
  plainText,
  precision,
  quoteCurrencyList,
  requiredIds,
  roundTo,
} from './parameters.ts';

const included = {
  include_market_cap: flag('Adds `{currency}_market_cap`'),
  include_24hr_vol: flag('Adds `{currency}_24h_vol`'),
  include_24hr_change: flag('Adds `{currency}_24h_change`, in percent'),
  include_last_updated_at: flag('Adds `last_updated_at`, in Unix seconds'),
  precision,
};
type Included = { [Name in keyof typeof included]: z.output<(typeof included)[Name]> };

const prices = z.record(z.string(), z.record(z.string(), z.number().nullable())).meta({
  description: 'The prices by coin and currency. Unknown coins and currencies are omitted.',
  examples: [{ bitcoin: { usd: 84001.9, eur: 72466.1 } }],
});

/** The figures of a coin by CoinGecko's names. A currency without a price is omitted: programs read null as 0. */
function pricesOf(priced: PricedToken, rates: readonly QuoteRate[], wanted: Included, round: Round) {
  const members: Record<string, number | null> = {};
  for (const rate of rates) {
    const figures = figuresIn(priced, rate, round);
    if (!figures) continue;
    members[rate.code] = figures.price;
    if (wanted.include_market_cap) members[`${rate.code}_market_cap`] = figures.marketCap;
    if (wanted.include_24hr_vol) members[`${rate.code}_24h_vol`] = figures.volume;
    if (wanted.include_24hr_change) members[`${rate.code}_24h_change`] = figures.priceChangePercentage;
  }
  if (wanted.include_last_updated_at && Object.keys(members).length > 0)
    members.last_updated_at = seconds(priced.latest.at);
  return members;
}

type Row = { key: string; members: Record<string, number | null> };

/** The coin with the largest market cap of those with the same key. */
function largest(coins: readonly NamedCoin[], pricedByName: ReadonlyMap<string, PricedToken>): [string, PricedToken][] {
  const chosen = new Map<string, PricedToken>();
  const cap = (one: PricedToken | undefined) => one?.latest.record.market_cap ?? -1;
  for (const { key, token } of coins) {
    const priced = pricedByName.get(token.name);
    if (priced && (!chosen.has(key) || cap(priced) > cap(chosen.get(key)))) chosen.set(key, priced);
  }
  return [...chosen];
}

const write = (rows: readonly Row[]): Iterable<string> =>
  enclosed(
    ['{', '}'],
    rows.map(({ key, members }) => `${JSON.stringify(key)}:${JSON.stringify(members)}`),
  );

export const simplePrices: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { coins, currencies, market, sendCharged, clock } = options;
  const vs_currencies = quoteCurrencyList(currencies);

  /** Without a known currency, each coin is an empty object. */
  function withoutFigures(named: readonly NamedCoin[]): DataResponse {
    const rows = [...new Set(named.map(({ key }) => key))].map((key) => ({ key, members: {} }));
    const response = emptyResponse([...write(rows)].join(''), clock.now());
    return { ...response, fetchedAt: undefined, outcome: NOTHING_TO_FETCH, cost: 0 };
  }

  function respond(named: readonly NamedCoin[], quotes: readonly QuoteCurrency[], wanted: Included) {
    if (quotes.length === 0) return withoutFigures(named);
    const { precision: digits, ...flags } = wanted;
    const shown = [named.map(({ key, token }) => `${key}=${token.name}`), quotes.map(({ code }) => code)];
    const round = roundTo(digits);
    return market.figures<Row>({
      requestKey: ['coingecko simple', ...shown.map((one) => one.join()), Object.values(flags).join(), digits].join(
        ' ',
      ),
      tokens: [...new Set(named.map(({ token }) => token))],
      currencies: basesOf(quotes),
      rows(priced, latestRates) {
        const rates = quoteRates(quotes, latestRates);
        const byName = new Map(priced.map((one) => [one.name, one]));
        const all = largest(named, byName).map(([key, one]) => ({ key, members: pricesOf(one, rates, wanted, round) }));
        return all.filter(({ members }) => Object.keys(members).length > 0);
      },
      write,
      cost: (rows) => callsFor(rows.length),
    });
  }

  const tags = ['coingecko'];
  const response = { 200: prices };

  const price = {
    tags,
    summary: 'Read latest prices of several coins',
    description:
      'As CoinGecko’s path of the same name. Of `ids`, `names` and `symbols`, the first that is sent counts.',
    operationId: 'getCoinGeckoSimplePrice',
    querystring: z.object({
      ids: requiredIds,
      names: list('The names of coins, separated by commas', 'Bitcoin'),
      symbols: list('The symbols of coins, separated by commas', 'btc'),
      vs_currencies,
      include_tokens: choice('The coins of a symbol: the one with the largest market cap, or all', ['top', 'all']),
      ...included,
    }),
    response,
  };
  const tokenPrice = {
    tags,
    summary: 'Read latest prices of several coins by contract address',
    description: 'As CoinGecko’s path of the same name. An unknown platform or address is omitted.',
    operationId: 'getCoinGeckoTokenPrice',
    params: z.object({ platform: plainText('The ID of the platform', 'ethereum') }),
    querystring: z.object({ contract_addresses: addresses, vs_currencies, ...included }),
    response,
  };

  app.get('/simple/price', { schema: price, config: PER_COIN }, async (request, reply) => {
    const { ids, names, symbols, include_tokens, vs_currencies: quotes, ...wanted } = request.query;
    await coins.ensure(request.user, ids);
    const named = coins.select({ ids, names, symbols, all: include_tokens === 'all' });
    const most = quotes.length === 0 ? 0 : callsFor(new Set(named.map(({ key }) => key)).size);
    return sendCharged(request, reply, most, async () => coins.noted(await respond(named, quotes, wanted), ids));
  });
  app.get('/simple/token_price/:platform', { schema: tokenPrice, config: PER_COIN }, async (request, reply) => {
    const { contract_addresses, vs_currencies: quotes, ...wanted } = request.query;
    const named = await coins.withAddresses(request.user, request.params.platform, contract_addresses);
    const most = quotes.length === 0 ? 0 : callsFor(named.length);
    return sendCharged(request, reply, most, () => respond(named, quotes, wanted));
  });
};
