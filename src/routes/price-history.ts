import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CANDLES_CSV_HEADER } from '#domain/candles/candle-text';
import type { Clock } from '#domain/clock';
import type { Currency } from '#domain/currency/currency';
import type { Catalogue } from '#domain/market/catalogue';
import { daysWindow, type Interval, rangeWindow } from '#domain/market/interval';
import { CSV_HEADER } from '#domain/market/text/series-csv';
import { candle, dateSnapshot, priceSeries } from '#domain/records';
import { CANDLES_CSV_EXAMPLE, CSV_EXAMPLE } from '#http/docs/schema-examples';
import { createAnswerQueues } from '#http/limits/answer-queue';
import {
  currencyOf,
  currencyParameters,
  date,
  days,
  inOneCurrency,
  tokenName,
} from '#http/pipeline/parameters';
import type { Send } from '#http/replies/write-answer';
import type { ProblemCode } from '#problems';
import type { Answer } from '#services/caching/answer';
import type { Candles } from '#services/candles/candles';
import type { Market } from '#services/market/market';
import type { WindowSize } from '#services/market/window-rows';

const INTERVALS = { minute: 'minute', hourly: 'hour', daily: 'day' } as const satisfies Record<
  string,
  Interval
>;

const interval = z
  .enum(Object.keys(INTERVALS) as ['minute', 'hourly', 'daily'], 'is not an interval')
  .default('daily')
  .meta({
    description: 'A finer grain, where it is known',
    fix: 'minute, hourly or daily',
    examples: ['daily'],
  });

/** What a path gives in CSV: the pattern of its header, an example of it, and what more there is to say. */
const SAMPLES = {
  header: `${CSV_HEADER}(,source)?(,currency)?`,
  example: CSV_EXAMPLE,
  note: ', with a column `source` where more than one has told them, and a last column `currency` where it is not the US dollar',
};
const CANDLES = {
  header: `${CANDLES_CSV_HEADER}(,currency)?`,
  example: CANDLES_CSV_EXAMPLE,
  note: ', with a last column `currency` where it is not the US dollar',
};

const orCsv = <T extends z.ZodType>(description: string, schema: T, { header, example, note } = SAMPLES) => ({
  description: `${description}; or the same as CSV, its times as spreadsheets read them (a midnight is a date alone)${note}`,
  content: {
    'application/json': { schema },
    'text/csv': { schema: z.string().meta({ pattern: `^${header}\\r\\n`, examples: [example] }) },
  },
});

type TokenParameter = ReturnType<typeof tokenName>;
type CurrencyParameters = ReturnType<typeof currencyParameters>;

/** The parameters of a range of dates, both included. */
const dates = (token: TokenParameter, clock: Clock) => ({
  tokenName: token,
  fromDate: date('YYYY-MM-DD', clock),
  thruDate: date('YYYY-MM-DD', clock, { future: true }),
});

/** A range of dates has its end after its beginning. */
const inOrder = <T extends z.ZodType<{ fromDate: number; thruDate: number }>>(schema: T) =>
  schema.refine(({ fromDate, thruDate }) => fromDate <= thruDate, {
    path: ['fromDate'],
    message: 'is after thruDate',
    params: { fix: 'a fromDate that is not after thruDate' },
  });

const REACH =
  'The archive is filled from CoinGecko as far back as the plan of the service reaches. Where a part of the window cannot be ' +
  'had, the points there are come with `Quotient-Gaps`. Where all of it is missing: 404 `no_data` when the token was ' +
  'not listed yet; 404 `no_data` with `gaps` for minutes older than 24 hours, which CoinGecko does not have; else 503 ' +
  '`upstream_unavailable`, with `gaps` when the time lies beyond the reach of the plan.';

const CANDLE_RULES =
  '`date` is the beginning of a candle; the running one is left out. Without a trade all four prices are the last one, ' +
  'and the volume is 0. A candle may be corrected until an hour after its end. Kraken tells the newest 720 of each ' +
  'length, and the archive keeps them, for as long as the operator has set: what is not there is named in ' +
  '`Quotient-Gaps`; 404 `no_data` with `gaps` where that is all of it.';

const CANDLE_INTERVAL = {
  description: 'The length of a candle: five minutes, an hour, a day (UTC)',
  fix: 'minute, hourly or daily',
  examples: ['daily'],
};

const format = z
  .enum(['json', 'csv'], 'is not a format')
  .optional()
  .meta({ description: 'In place of `Accept`', fix: 'json or csv', examples: ['json'] });

const contracts = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  date: {
    tags: ['history'],
    summary: 'Read the price on a date',
    description:
      'Until the daily figures of today are ready, its first sample stands in for them. A few old dates have a sample of ' +
      `another time alone: theirs are its figures. ${REACH}`,
    operationId: 'getPriceHistoryByDate',
    querystring: inOneCurrency(
      z.object({ tokenName: token, date: date('DD-MM-YYYY', clock), format, ...currency }),
    ),
    response: { 200: orCsv('An array of one snapshot', z.array(dateSnapshot)) },
  },
  days: {
    tags: ['history'],
    summary: 'Read the price history of the last days',
    description:
      '1 is the last 24 hours as fine as CoinGecko gives them (five minutes); 2 to 10 are hours; above 10, the ' +
      `last so many midnights (UTC), and after them the latest sample at its own time. ${REACH}`,
    operationId: 'getPriceHistoryByDays',
    querystring: inOneCurrency(z.object({ tokenName: token, days, format, ...currency })),
    response: { 200: orCsv('An array of one series', z.array(priceSeries)) },
  },
  range: {
    tags: ['history'],
    summary: 'Read the price history between two dates',
    description:
      'When `thruDate` is today or later it is today, and in a daily series the latest sample follows. ' +
      REACH,
    operationId: 'getPriceHistoryByRange',
    querystring: inOneCurrency(inOrder(z.object({ ...dates(token, clock), interval, format, ...currency }))),
    response: { 200: orCsv('A series', priceSeries) },
  },
  ohlc: {
    tags: ['history'],
    summary: 'Read candles between two dates',
    description: `Open, high, low, close and volume as Kraken tells them; \`Quotient-Source\` names it. In another currency all four prices are converted with one rate, that of the date on which the candle begins; in \`btc\` and \`eth\` with the first price of that token's own candle of the same time. ${CANDLE_RULES}`,
    operationId: 'getCandles',
    querystring: inOneCurrency(
      inOrder(
        z.object({ ...dates(token, clock), interval: interval.meta(CANDLE_INTERVAL), format, ...currency }),
      ),
    ),
    response: { 200: orCsv('The finished candles, ascending', z.array(candle), CANDLES) },
  },
});

const problems: ProblemCode[] = [
  'no_data',
  'overloaded',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

type Options = {
  catalogue: Catalogue;
  currencies: readonly Currency[];
  market: Market;
  candles: Candles;
  clock: Clock;
  send: Send;
};

export const priceHistory: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, market, candles, clock, send } = options;
  const schemas = contracts(tokenName(catalogue), currencyParameters(currencies), clock);
  const enter = createAnswerQueues();
  const headers = ['Quotient-Currency?'] as const;
  const config = { cost: 1, scope: 'prices', csv: true, headers, problems } as const;

  /** Sends a window's answer, a large one when those before it to the same user have gone out. */
  function sendWindow(
    request: FastifyRequest,
    reply: FastifyReply,
    size: WindowSize,
    answer: () => Answer | Promise<Answer>,
  ): void | Promise<void> {
    const give = () => send(request, reply, answer(), request.format);
    return size === 'short' ? give() : enter(request.caller.user.key, reply.raw, size).then(give);
  }

  app.get('/date', { schema: schemas.date, config }, (request, reply) => {
    const { query, format } = request;
    return send(request, reply, market.date(query.tokenName, query.date, format, currencyOf(query)), format);
  });

  app.get('/days', { schema: schemas.days, config }, (request, reply) => {
    const { tokenName, days } = request.query;
    const currency = currencyOf(request.query);
    const size = market.size(tokenName, daysWindow(days, clock.now()));
    return sendWindow(request, reply, size, () => market.days(tokenName, days, request.format, currency));
  });

  app.get('/date/range', { schema: schemas.range, config }, (request, reply) => {
    const { tokenName, fromDate, thruDate } = request.query;
    const interval = INTERVALS[request.query.interval];
    const size = market.size(tokenName, rangeWindow(interval, fromDate, thruDate, clock.now()));
    const answer = () =>
      market.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
    return sendWindow(request, reply, size, answer);
  });

  app.get(
    '/ohlc',
    { schema: schemas.ohlc, config: { ...config, headers: ['Quotient-Source', ...headers] } },
    (request, reply) => {
      const { tokenName, fromDate, thruDate } = request.query;
      const interval = INTERVALS[request.query.interval];
      const size = candles.size(tokenName, rangeWindow(interval, fromDate, thruDate, clock.now()));
      const answer = () =>
        candles.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
      return sendWindow(request, reply, size, answer);
    },
  );
};
