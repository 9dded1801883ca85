import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { DAY } from '#core/clock';
import { enclosed } from '#prices/history/series-text';
import type { PricedToken, Ranked } from '#prices/latest/latest-figures';
import type { Market } from '#prices/open-market';
import { callsFor, PER_COIN, type RouteOptions } from './charged-routes.ts';
import { type QuoteCurrency, quoteRates } from './currencies.ts';
import { type MarketOptions, marketRecord, PERIODS, type Period } from './figures/market-record.ts';
import { choice, flag, list, precision, quoteCurrency, roundTo, whole } from './parameters.ts';

const ORDERS = ['market_cap_desc', 'market_cap_asc', 'volume_desc', 'volume_asc', 'id_asc', 'id_desc'] as const;
type Order = (typeof ORDERS)[number];
/** CoinGecko's own limit. Larger values are reduced to it. */
const PER_PAGE = 250;

type Sorted = { token: Token; ranked: Ranked | undefined };

/** Sorts in an order. Tokens without the figure come last, in the catalogue's order. */
function sorted(rows: readonly Sorted[], order: Order): Token[] {
  const sign = order.endsWith('_asc') ? 1 : -1;
  const figure = ({ ranked }: Sorted) => (order.startsWith('volume') ? ranked?.volume : ranked?.marketCap) ?? null;
  const compare = (a: Sorted, b: Sorted): number => {
    if (order.startsWith('id')) return a.token.name < b.token.name ? -sign : sign;
    const [mine, other] = [figure(a), figure(b)];
    if (mine === null || other === null) return Number(mine === null) - Number(other === null);
    return sign * (mine - other);
  };
  return rows.toSorted(compare).map(({ token }) => token);
}

const rankedOf = ({ latest }: PricedToken): Pick<Ranked, 'marketCap' | 'volume'> => ({
  marketCap: latest.record.market_cap,
  volume: latest.record.total_volume,
});

const isPeriod = (text: string): text is Period => Object.hasOwn(PERIODS, text);

type Page = { order: Order; per_page: number; page: number };

async function pageOf(market: Market, candidates: readonly Token[], { order, per_page, page }: Page): Promise<Token[]> {
  const start = (page - 1) * per_page;
  if (start >= candidates.length) return [];
  if (candidates.length <= per_page) return [...candidates];
  // The figures of all tokens are not in memory, so pages are divided by the stored figures.
  const ranks = order.startsWith('id') ? undefined : await market.ranking();
  const rows = candidates.map((token) => ({ token, ranked: ranks?.get(token.name) }));
  return sorted(rows, order).slice(start, start + per_page);
}

function respond(
  market: Market,
  tokens: readonly Token[],
  order: Order,
  quote: QuoteCurrency,
  marketOptions: MarketOptions,
  digits: string,
) {
  const { periods, sparkline, rehypothecated } = marketOptions;
  const names = tokens.map(({ name }) => name).join();
  const shown = [names, order, quote.code, periods.join(), sparkline, rehypothecated, digits];
  return market.figures<object>({
    requestKey: `coingecko markets ${shown.join(' ')}`,
    tokens,
    currencies: [quote.base],
    withExtremes: true,
    ratesOf: Math.max(DAY, ...periods.map((period) => PERIODS[period])),
    rows(priced, rates) {
      const [rate] = quoteRates([quote], rates);
      const byName = new Map(priced.map((one) => [one.name, one]));
      const ranked = (one: PricedToken | undefined) => one && { ...rankedOf(one), rank: null, image: null };
      const rows = tokens.map((token) => ({ token, ranked: ranked(byName.get(token.name)) }));
      return sorted(rows, order).map((token) => marketRecord(token, byName.get(token.name), rate, marketOptions));
    },
    write: (rows) =>
      enclosed(
        ['[', ']'],
        rows.values().map((row) => JSON.stringify(row)),
      ),
    cost: (rows) => callsFor(rows.length),
  });
}

export const coinMarkets: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { coins, catalogue, currencies, market, sendCharged } = options;

  const schema = {
    tags: ['coingecko'],
    summary: 'List coins with their market figures',
    description:
      'As CoinGecko’s path of the same name, over the served tokens. Without `ids`, `names` and `symbols`, the list ' +
      'contains all of them. Beyond the last page, the list is empty.',
    operationId: 'getCoinGeckoMarkets',
    querystring: z.object({
      vs_currency: quoteCurrency(currencies),
      ids: list('The IDs of coins, separated by commas', 'bitcoin,ethereum'),
      names: list('The names of coins, separated by commas', 'Bitcoin'),
      symbols: list('The symbols of coins, separated by commas', 'btc'),
      include_tokens: choice('The coins of a symbol: the one with the largest market cap, or all', ['top', 'all']),
      order: choice('The order of the list', ORDERS),
      per_page: whole('The number of coins per page, at most 250', { min: 1, max: PER_PAGE, initial: 100 }),
      page: whole('The number of the page', { min: 1, max: 1e9, initial: 1 }),
      sparkline: flag('Adds `sparkline_in_7d`, the archived hourly prices of 7 days'),
      price_change_percentage: list('Periods, such as `1h,24h,7d`, whose changes are added', '1h,7d').transform(
        (periods) => periods.filter(isPeriod),
      ),
      include_rehypothecated: flag('Adds `market_cap_rank_with_rehypothecated`'),
      precision,
    }),
    response: {
      200: z.array(z.record(z.string(), z.unknown())).meta({
        description: 'The coins. A figure that is unknown is null.',
        examples: [[{ id: 'bitcoin', symbol: 'btc', name: 'Bitcoin', current_price: 84001.9 }]],
      }),
    },
  };

  app.get('/coins/markets', { schema, config: PER_COIN }, async (request, reply) => {
    const { ids, names, symbols, include_tokens, vs_currency, order, per_page, page, precision, ...wanted } =
      request.query;
    await coins.ensure(request.user, ids);
    const isSelected = [ids, names, symbols].some((one) => one.length > 0);
    const selected = isSelected ? coins.select({ ids, names, symbols, all: include_tokens === 'all' }) : undefined;
    const candidates = selected ? [...new Set(selected.map(({ token }) => token))] : catalogue.all();
    const tokens = await pageOf(market, candidates, { order, per_page, page });
    const marketOptions = {
      periods: wanted.price_change_percentage,
      sparkline: wanted.sparkline,
      rehypothecated: wanted.include_rehypothecated,
      round: roundTo(precision),
    };
    const make = async () =>
      coins.noted(await respond(market, tokens, order, vs_currency, marketOptions, String(precision)), ids);
    return sendCharged(request, reply, callsFor(tokens.length), make);
  });
};
