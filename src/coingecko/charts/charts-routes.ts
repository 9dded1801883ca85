import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Token } from '#catalogue/token';
import { type Clock, DAY, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';
import type { Candles } from '#prices/candles/candles';
import type { createWindowSender } from '#prices/history/history-routes';
import type { Market } from '#prices/market';
import type { Window } from '#prices/model/interval';
import { bodyOf, type DataResponse } from '#server/responses/response-body';
import { ONE_CALL } from '../charged-routes.ts';
import type { Coins } from '../coins.ts';
import type { QuoteCurrency } from '../currencies.ts';
import { beyondReach } from '../errors.ts';
import { candleText, planCandles } from '../figures/candle-text.ts';
import { chartText, EMPTY_CHART } from '../figures/chart-text.ts';
import { choice, plainText, precision, quoteCurrency, roundTo } from '../parameters.ts';
import { between, CHART_INTERVALS, type ChartInterval, lastDays, parseDays, parseTime } from './chart-windows.ts';

const time = (description: string, example: string) =>
  z
    .string()
    .transform((text, context) => {
      const at = parseTime(text.trim());
      if (at !== undefined) return at;
      context.addIssue({ code: 'custom', message: 'malformed' });
      return z.NEVER;
    })
    .meta({ description, wire: { type: 'string', examples: [example] } });

const days = z
  .string()
  .transform((text, context) => {
    const count = parseDays(text.trim().toLowerCase());
    if (count !== undefined) return count;
    context.addIssue({ code: 'custom', message: 'malformed' });
    return z.NEVER;
  })
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

type Options = {
  coins: Coins;
  currencies: ReadonlyMap<string, QuoteCurrency>;
  market: Market;
  candles: Candles;
  sendWindow: ReturnType<typeof createWindowSender>;
  clock: Clock;
};
type ChartQuery = { vs_currency: QuoteCurrency; precision?: number | undefined };

export const coinCharts: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { coins, currencies, market, candles: exchange, sendWindow, clock } = options;
  const vs_currency = quoteCurrency(currencies);

  function emptyResponse(body: string, gaps: readonly string[] = []): DataResponse {
    const now = clock.now();
    const times = { modifiedAt: now, fetchedAt: now, dueAt: now };
    const outcome = { fetched: true, refreshing: false, failure: undefined };
    return { body: bodyOf(body), source: 'coingecko', ...times, isImmutable: false, gaps, outcome };
  }

  /** A known coin without samples has an empty chart. A time that no source reaches has CoinGecko's own error. */
  async function orEmpty(
    make: () => DataResponse | Promise<DataResponse>,
    empty: string,
    window?: Window,
  ): Promise<DataResponse> {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { cause, members } = error;
      // A past window that is shorter than the interval of its samples may contain none.
      const hasNone = window && !window.open && error.code === 'upstream_unavailable' && !members.gaps?.length;
      if (error.code === 'no_data' || (hasNone && cause === undefined)) return emptyResponse(empty, members.gaps);
      const isOld = window && window.span.thru < market.reach(window.interval);
      if (error.code === 'upstream_unavailable' && isOld && cause === undefined) throw beyondReach(error.message);
      throw error;
    }
  }

  function sendChart(
    request: FastifyRequest,
    reply: FastifyReply,
    { token, window, about }: { token: Token; window: Window; about: readonly (string | number)[] },
    { vs_currency: { code, base, perUnit }, precision }: ChartQuery,
  ) {
    const round = roundTo(precision);
    const render = (columns: Parameters<typeof chartText>[0]) => chartText(columns, perUnit, round);
    const key = ['coingecko chart', token.name, ...about, code, String(precision)];
    const make = () =>
      window.span.from > clock.now()
        ? emptyResponse(EMPTY_CHART)
        : market.windowAs(key, { token: token.name, window, render, currency: base });
    const respond = async () => coins.noted(await orEmpty(make, EMPTY_CHART, window), [idOf(request)]);
    return sendWindow(request, reply, market.size(token.name, window), respond);
  }

  const idOf = ({ params }: FastifyRequest): string => (params as { id?: string }).id ?? '';

  async function lastWindow(token: Token, { days, interval }: { days: number | 'max'; interval: ChartInterval }) {
    const beginning = days === 'max' ? await market.beginning(token.name) : 0;
    return { token, window: lastDays(days, interval, beginning, clock.now()), about: [days, interval] };
  }

  const rangeWindow = (
    token: Token,
    { from, to, interval }: { from: number; to: number; interval: ChartInterval },
  ) => ({
    token,
    window: between(from, to, interval, clock.now()),
    about: [from, to, interval],
  });

  const id = z.object({ id: plainText('The ID of the coin', 'bitcoin') });
  const contract = z.object({
    platform: plainText('The ID of the platform', 'ethereum'),
    address: plainText('The contract address', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  });
  const ofDays = z.object({ vs_currency, days, interval: chartInterval, precision });
  const ofRange = z.object({
    vs_currency,
    from: time('The start: Unix seconds, or an ISO date or time in UTC', '2026-10-01'),
    to: time('The end, inclusive: Unix seconds, or an ISO date or time in UTC', '2026-10-31'),
    interval: chartInterval,
    precision,
  });
  const described = (summary: string, operationId: string, hide: boolean) => ({
    ...{ tags: ['coingecko'], summary, operationId, hide },
    description: 'As CoinGecko’s path of the same name. `Quotient-Gaps` lists missing periods.',
    response: { 200: chart },
  });
  const config = { ...ONE_CALL, headers: ['Quotient-Currency?', 'Quotient-Token?'] } as const;

  for (const slash of ['', '/']) {
    const hide = slash !== '';
    const last = described('Read the chart of the last days', 'getCoinGeckoChart', hide);
    app.get(
      `/coins/:id/market_chart${slash}`,
      { schema: { ...last, params: id, querystring: ofDays }, config },
      async (request, reply) => {
        const token = await coins.find(request.user, request.params.id);
        return sendChart(request, reply, await lastWindow(token, request.query), request.query);
      },
    );
    const range = described('Read a chart between two times', 'getCoinGeckoChartRange', hide);
    app.get(
      `/coins/:id/market_chart/range${slash}`,
      { schema: { ...range, params: id, querystring: ofRange }, config },
      async (request, reply) => {
        const token = await coins.find(request.user, request.params.id);
        return sendChart(request, reply, rangeWindow(token, request.query), request.query);
      },
    );
    const lastOf = described('Read the chart of the last days by contract address', 'getCoinGeckoContractChart', hide);
    app.get(
      `/coins/:platform/contract/:address/market_chart${slash}`,
      { schema: { ...lastOf, params: contract, querystring: ofDays }, config },
      async (request, reply) => {
        const { token } = await coins.withAddress(request.user, request.params.platform, request.params.address);
        return sendChart(request, reply, await lastWindow(token, request.query), request.query);
      },
    );
    const rangeOf = described('Read a chart by contract address', 'getCoinGeckoContractChartRange', hide);
    app.get(
      `/coins/:platform/contract/:address/market_chart/range${slash}`,
      { schema: { ...rangeOf, params: contract, querystring: ofRange }, config },
      async (request, reply) => {
        const { token } = await coins.withAddress(request.user, request.params.platform, request.params.address);
        return sendChart(request, reply, rangeWindow(token, request.query), request.query);
      },
    );
    const ohlc = {
      ...described('Read candles of the last days', 'getCoinGeckoCandles', hide),
      response: { 200: candles },
      params: id,
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
    app.get(`/coins/:id/ohlc${slash}`, { schema: ohlc, config }, async (request, reply) => {
      const { vs_currency, days, interval, precision } = request.query;
      const token = await coins.find(request.user, request.params.id);
      const { code, base, perUnit } = vs_currency;
      const today = startOfDate(clock.now());
      const beginning = days === 'max' ? await market.beginning(token.name) : 0;
      const count = days === 'max' ? Math.ceil((today - beginning) / DAY) + 1 : days;
      const plan = planCandles(count, interval);
      const from = today - (count + 1) * DAY - plan.length;
      const round = roundTo(precision);
      const form = {
        name: `coingecko ${count} ${interval} ${code} ${precision}`,
        render: (columns: Parameters<typeof candleText>[0]) => candleText(columns, plan, count, perUnit, round),
      };
      const make = () => exchange.rangeAs(form, token.name, plan.interval, Math.max(0, from), today, base);
      const respond = async () => coins.noted(await orEmpty(make, '[]'), [request.params.id]);
      return sendWindow(request, reply, 'short', respond);
    });
  }
};
