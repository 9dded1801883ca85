import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import { memberNames } from '#core/names';
import type { ProblemCode } from '#core/problems';
import type { Currency } from '#prices/model/currency';
import { daysWindow, type Interval, rangeWindow } from '#prices/model/interval';
import { dateSnapshot, priceSeries } from '#prices/model/prices-records';
import { currencyOf, currencyParameters, date, days, inOneCurrency, tokenName } from '#prices/parameters';
import { createResponseQueues } from '#server/connections/response-queue';
import type { Send } from '#server/responses/fast-path';
import type { DataResponse } from '#server/responses/response-body';
import type { History } from './history.ts';
import { CSV_HEADER, withSemicolons } from './series-text.ts';
import type { WindowSize } from './window-reader.ts';

export const INTERVALS = { minute: 'minute', hourly: 'hour', daily: 'day' } as const satisfies Record<string, Interval>;

export const interval = z
  .enum(memberNames(INTERVALS), 'must be minute, hourly or daily')
  .default('daily')
  .meta({
    description: 'The interval between points. `minute` means five minutes.',
    fix: 'minute, hourly or daily',
    examples: ['daily'],
  });

/** Describes the CSV that a path returns: a pattern for its header, an example and a note. */
const SAMPLES = {
  header: `${CSV_HEADER}(,source)?(,currency)?`,
  example: `${CSV_HEADER}\r\n2024-01-01,42280.2346,828123456789.5,14123456789.25\r\n`,
  note: '. If the points have several sources, the column `source` is added. For currencies other than `usd`, the last column is `currency`',
};
export const orCsv = <T extends z.ZodType>(description: string, schema: T, { header, example, note } = SAMPLES) => ({
  description: `${description}. CSV contains \`2026-11-21\` for midnight and \`2026-11-21 13:05:00\` for any other time${note}. With \`separator=semicolon\`, semicolons separate the fields, and numbers have a decimal comma`,
  content: {
    'application/json': { schema },
    'text/csv': {
      schema: z.string().meta({ pattern: `^(${header}|${withSemicolons(header)})\\r\\n`, examples: [example] }),
    },
  },
});

export type TokenParameter = ReturnType<typeof tokenName>;
export type CurrencyParameters = ReturnType<typeof currencyParameters>;

export const dates = (token: TokenParameter, clock: Clock) => ({
  tokenName: token,
  fromDate: date(['YYYY-MM-DD'], clock),
  thruDate: date(['YYYY-MM-DD'], clock, { future: true }),
});

export const inOrder = <T extends z.ZodType<{ fromDate: number; thruDate: number }>>(schema: T) =>
  schema.refine(({ fromDate, thruDate }) => fromDate <= thruDate, {
    path: ['fromDate'],
    message: 'must not be after thruDate',
    params: { fix: 'a date on or before thruDate' },
  });

const format = z
  .enum(['json', 'csv'], 'must be json or csv')
  .optional()
  .meta({
    description: 'The format of the response. This parameter takes precedence over the `Accept` header.',
    fix: 'json or csv',
    examples: ['json'],
  });

const separator = z
  .enum(['comma', 'semicolon'], 'must be comma or semicolon')
  .optional()
  .meta({
    description:
      'The separator of the fields in CSV; `comma` by default. With `semicolon`, numbers have a decimal comma, as ' +
      'spreadsheets expect in most of Europe and Latin America, and are quoted.',
    fix: 'comma or semicolon',
    examples: ['comma'],
  });
export const formatParameters = { format, separator };

const problems: ProblemCode[] = [
  'no_data',
  'overloaded',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

export const WINDOW_FACTS = {
  cost: 1,
  scope: 'prices',
  csv: true,
  headers: ['Quotient-Currency?', 'Quotient-Token?'],
  problems,
} as const;
export type WindowOptions = {
  catalogue: Catalogue;
  currencies: readonly Currency[];
  clock: Clock;
  sendWindow: SendWindow;
};

/** Waits until the user's earlier large responses have been sent. Returns undefined for a short window. */
export function createWindowTurns() {
  const enter = createResponseQueues();
  return (user: number, response: ServerResponse, size: WindowSize): Promise<void> | undefined =>
    size === 'short' ? undefined : enter(user, response, size);
}

export type EnterWindow = ReturnType<typeof createWindowTurns>;

/** Sends a window's response. A large response waits for the same user's earlier large responses. */
export function createWindowSender(send: Send, enterWindow: EnterWindow) {
  return function sendWindow(
    request: FastifyRequest,
    reply: FastifyReply,
    size: WindowSize,
    respond: () => DataResponse | Promise<DataResponse>,
  ): void | Promise<void> {
    const give = () => send(request, reply, respond(), request.format);
    const turn = enterWindow(request.user, reply.raw, size);
    return turn ? turn.then(give) : give();
  };
}

type SendWindow = ReturnType<typeof createWindowSender>;

const REACH =
  'The service archives data from CoinGecko, as far back as the CoinGecko plan allows. If data for a part ' +
  'of the period is unavailable, the response contains the available points, and `Quotient-Gaps` lists the ' +
  'missing periods. If the whole period is unavailable, the response depends on the cause. If the token ' +
  'was not listed yet, or CoinGecko has not provided its data for a week, the response is 404 `no_data`. CoinGecko does not provide minute prices older than ' +
  '24 hours. For these prices, the response is 404 `no_data` with `gaps`. In all other cases, it is 503 ' +
  '`upstream_unavailable` with `gaps`.';

const contracts = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  date: {
    tags: ['history'],
    summary: 'Read the price on a date',
    description:
      "Returns the figures at 00:00 UTC. If today's figures are not available yet, the first sample of the day " +
      'is returned. For a few old dates without a midnight sample, the only sample of the date is returned. ' +
      `${REACH}`,
    operationId: 'getPriceHistoryByDate',
    querystring: inOneCurrency(
      z.object({ tokenName: token, date: date(['DD-MM-YYYY', 'YYYY-MM-DD'], clock), ...formatParameters, ...currency }),
    ),
    response: { 200: orCsv('An array with the figures of the date', z.array(dateSnapshot)) },
  },
  days: {
    tags: ['history'],
    summary: 'Read the price history of the last days',
    description:
      'The interval of the points depends on `days`. The response contains five-minute points for `days=1`, ' +
      'and hourly points for 2 to 10 days. For 11 or more days, it contains one point per midnight (UTC), and ' +
      `the latest sample as the last point. ${REACH}`,
    operationId: 'getPriceHistoryByDays',
    querystring: inOneCurrency(z.object({ tokenName: token, days, ...formatParameters, ...currency })),
    response: { 200: orCsv('An array with one series', z.array(priceSeries)) },
  },
  range: {
    tags: ['history'],
    summary: 'Read the price history between two dates',
    description: `If \`thruDate\` is in the future, the range ends today. The last point of a daily series that ends today is the latest sample. ${REACH}`,
    operationId: 'getPriceHistoryByRange',
    querystring: inOneCurrency(
      inOrder(z.object({ ...dates(token, clock), interval, ...formatParameters, ...currency })),
    ),
    response: { 200: orCsv('A series', priceSeries) },
  },
});

type Options = WindowOptions & { market: History; send: Send };

export const priceHistory: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, market, clock, send, sendWindow } = options;
  const schemas = contracts(tokenName(catalogue), currencyParameters(currencies), clock);
  const config = WINDOW_FACTS;

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
    const respond = () =>
      market.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
    return sendWindow(request, reply, size, respond);
  });
};
