import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { DAY, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';
import type { CandleColumns } from '#prices/model/candle';
import type { Window } from '#prices/model/interval';
import type { PointColumns } from '#prices/model/series';
import type { DataResponse } from '#server/responses/response-body';
import { emptyResponse, ONE_CALL, type RouteOptions } from '../charged-routes.ts';
import type { QuoteCurrency } from '../currencies.ts';
import { beyondReach } from '../errors.ts';
import { candleText, chartText, EMPTY_CHART, planCandles } from '../figures/chart-text.ts';
import { choice, coinId, contractAddress, parsedBy, precision, quoteCurrency, roundTo } from '../parameters.ts';
import { CHART_INTERVALS, type ChartInterval, lastDays, parseDays, parseTime, windowBetween } from './chart-windows.ts';

const time = (description: string, example: string) =>
  z
    .string()
    .transform(parsedBy((text) => parseTime(text.trim())))
    .meta({ description, wire: { type: 'string', examples: [example] } });

const days = z
  .string()
  .transform(parsedBy((text) => parseDays(text.trim().toLowerCase())))
  .meta({
    description: 'The number of days back from now, or `max`. A fraction is rounded up.',
    wire: { type: 'string', examples: ['30'] },
  });

const chartInterval = choice(
  'The interval of the samples. By default, one day has five-minute samples, 2 to 90 days have hourly samples, and ' +
    'longer charts have midnights.',
  Object.keys(CHART_INTERVALS) as [ChartInterval, ...ChartInterval[]],
);

const chart = z.record(z.string(), z.array(z.array(z.number().nullable()))).meta({
  description: 'Samples `[time, value]`, oldest first, in three arrays of equal length. Times are in Unix ms.',
  examples: [
    {
      prices: [[1779235200000, 84001.9]],
      market_caps: [[1779235200000, 1671000000000]],
      total_volumes: [[1779235200000, 31000000000]],
    },
  ],
});
const candles = z.array(z.array(z.number())).meta({
  description:
    'Candles `[time, open, high, low, close]`, oldest first, from the trades of an exchange. The time is the end of ' +
    'the candle, in Unix ms.',
  examples: [[[1779235200000, 84001.9, 84075.9, 83351.5, 83777.5]]],
});

/** The paths of a coin's charts, and the summaries and IDs of the operations. */
const BY_ID = {
  path: '/coins/:id',
  params: coinId,
  lastDays: ['Read the chart of the last days', 'getCoinGeckoChart'],
  range: ['Read a chart between two times', 'getCoinGeckoChartRange'],
} as const;
const BY_ADDRESS = {
  path: '/coins/:platform/contract/:address',
  params: contractAddress,
  lastDays: ['Read the chart of the last days by contract address', 'getCoinGeckoContractChart'],
  range: ['Read a chart by contract address', 'getCoinGeckoContractChartRange'],
} as const;

const described = ([summary, operationId]: readonly [string, string]) => ({
  tags: ['coingecko'],
  summary,
  operationId,
  description: 'As CoinGecko’s path of the same name. `Quotient-Gaps` lists missing periods.',
  response: { 200: chart },
});
const config = { ...ONE_CALL, headers: ['Quotient-Currency?', 'Quotient-Token?'] } as const;

type Make = () => DataResponse | Promise<DataResponse>;
type Requested = { token: Token; window: Window; about: readonly (string | number)[] };
type ChartQuery = { vs_currency: QuoteCurrency; precision?: number | undefined };
type CoinOfRequest = { user: number; params: z.output<typeof coinId> | z.output<typeof contractAddress> };

/** A known coin without samples has an empty chart. A time that no source reaches has CoinGecko's own error. */
async function orEmpty(
  make: Make,
  empty: string,
  { market, clock }: RouteOptions,
  window?: Window,
): Promise<DataResponse> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { cause, members } = error;
    // A past window that is shorter than the interval of its samples may contain none.
    const hasNone = window && !window.open && error.code === 'upstream_unavailable' && !members.gaps?.length;
    if (error.code === 'no_data' || (hasNone && cause === undefined))
      return emptyResponse(empty, clock.now(), members.gaps);
    const isOld = window && window.span.thru < market.reach(window.interval);
    if (error.code === 'upstream_unavailable' && isOld && cause === undefined) throw beyondReach(error.message);
    throw error;
  }
}

async function tokenOf({ user, params }: CoinOfRequest, { coins }: RouteOptions): Promise<Token> {
  if ('id' in params) return coins.find(user, params.id);
  return (await coins.withAddress(user, params.platform, params.address)).token;
}

function chartOf(
  { token, window, about }: Requested,
  { vs_currency: { code, base, perUnit }, precision }: ChartQuery,
  { market, clock }: RouteOptions,
): DataResponse | Promise<DataResponse> {
  if (window.span.from > clock.now()) return emptyResponse(EMPTY_CHART, clock.now());
  const round = roundTo(precision);
  const render = (columns: PointColumns) => chartText(columns, perUnit, round);
  const key = ['coingecko chart', token.name, ...about, code, String(precision)];
  return market.windowAs(key, { token: token.name, window, render, currency: base });
}

export const coinCharts: FastifyPluginAsyncZod<RouteOptions> = async (app, options) => {
  const { coins, currencies, market, candles: exchange, sendWindow, clock } = options;
  const vs_currency = quoteCurrency(currencies);
  const ofDays = z.object({ vs_currency, days, interval: chartInterval, precision });
  const ofRange = z.object({
    vs_currency,
    from: time('The start: Unix seconds, or an ISO date or time in UTC', '2026-10-01'),
    to: time('The end, inclusive: Unix seconds, or an ISO date or time in UTC', '2026-10-31'),
    interval: chartInterval,
    precision,
  });

  function sendChart(
    request: FastifyRequest & CoinOfRequest,
    reply: FastifyReply,
    requested: Requested,
    query: ChartQuery,
  ): void | Promise<void> {
    const { token, window } = requested;
    const { params } = request;
    const make = () => orEmpty(() => chartOf(requested, query, options), EMPTY_CHART, options, window);
    const respond = async () => coins.noted(await make(), 'id' in params ? [params.id] : []);
    return sendWindow(request, reply, market.size(token.name, window), respond);
  }

  for (const { path, params, lastDays: ofLast, range } of [BY_ID, BY_ADDRESS]) {
    const last = { ...described(ofLast), params, querystring: ofDays };
    app.get(`${path}/market_chart`, { schema: last, config }, async (request, reply) => {
      const { days, interval } = request.query;
      const token = await tokenOf(request, options);
      const beginning = days === 'max' ? await market.beginning(token.name) : 0;
      const window = lastDays(days, interval, beginning, clock.now());
      return sendChart(request, reply, { token, window, about: [days, interval] }, request.query);
    });
    const between = { ...described(range), params, querystring: ofRange };
    app.get(`${path}/market_chart/range`, { schema: between, config }, async (request, reply) => {
      const { from, to, interval } = request.query;
      const token = await tokenOf(request, options);
      const window = windowBetween(from, to, interval, clock.now());
      return sendChart(request, reply, { token, window, about: [from, to, interval] }, request.query);
    });
  }

  const ohlc = {
    ...described(['Read candles of the last days', 'getCoinGeckoCandles']),
    response: { 200: candles },
    params: coinId,
    querystring: z.object({
      vs_currency,
      days,
      interval: choice(
        'The length of a candle. By default, 1 or 2 days have candles of 30 minutes, 3 to 30 days of 4 hours, and ' +
          'more days of 4 days.',
        ['auto', 'daily', 'hourly'],
      ),
      precision,
    }),
  };
  app.get('/coins/:id/ohlc', { schema: ohlc, config }, async (request, reply) => {
    const { vs_currency, days, interval, precision } = request.query;
    const token = await tokenOf(request, options);
    const { code, base, perUnit } = vs_currency;
    const today = startOfDate(clock.now());
    const beginning = days === 'max' ? await market.beginning(token.name) : 0;
    const count = days === 'max' ? Math.ceil((today - beginning) / DAY) + 1 : days;
    const plan = planCandles(count, interval);
    const from = today - (count + 1) * DAY - plan.length;
    const round = roundTo(precision);
    const form = {
      name: `coingecko ${count} ${interval} ${code} ${precision}`,
      render: (columns: CandleColumns) => candleText(columns, plan, count, perUnit, round),
    };
    const make = () => exchange.rangeAs(form, token.name, plan.interval, Math.max(0, from), today, base);
    const respond = async () => coins.noted(await orEmpty(make, '[]', options), [request.params.id]);
    return sendWindow(request, reply, 'short', respond);
  });
};
