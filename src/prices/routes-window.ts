import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import type { ProblemCode } from '#core/problems';
import type { Currency } from '#prices/model/currency';
import { type Interval, rangeWindow } from '#prices/model/interval';
import { candle } from '#prices/model/records';
import { currencyOf, currencyParameters, date, inOneCurrency, tokenName } from '#prices/parameters';
import { createAnswerQueues } from '#server/connections/answer-queue';
import type { Answer } from '#server/replies/answer-body';
import type { Send } from '#server/replies/write-answer';
import { CANDLES_CSV_HEADER } from './candles/candle-import.ts';
import type { Candles } from './candles/candles.ts';
import { CSV_HEADER } from './history/series-text.ts';
import type { WindowSize } from './history/window-rows.ts';

/** The intervals by their names in the API. */
export const INTERVALS = { minute: 'minute', hourly: 'hour', daily: 'day' } as const satisfies Record<string, Interval>;

export const interval = z
  .enum(Object.keys(INTERVALS) as ['minute', 'hourly', 'daily'], 'must be minute, hourly or daily')
  .default('daily')
  .meta({
    description: 'The interval between points, where available',
    fix: 'minute, hourly or daily',
    examples: ['daily'],
  });

/** The CSV that a path returns: the pattern of its header, an example and a note. */
const SAMPLES = {
  header: `${CSV_HEADER}(,source)?(,currency)?`,
  example: `${CSV_HEADER}\r\n2024-01-01,42280.2346,828123456789.5,14123456789.25\r\n`,
  note: ', with a column `source` if the points have several sources, and a last column `currency` for currencies other than `usd`',
};
export const orCsv = <T extends z.ZodType>(description: string, schema: T, { header, example, note } = SAMPLES) => ({
  description: `${description}. As CSV, midnights are written as \`2026-11-21\` and other times as \`2026-11-21 13:05:00\`${note}`,
  content: {
    'application/json': { schema },
    'text/csv': { schema: z.string().meta({ pattern: `^${header}\\r\\n`, examples: [example] }) },
  },
});

export type TokenParameter = ReturnType<typeof tokenName>;
export type CurrencyParameters = ReturnType<typeof currencyParameters>;

export const dates = (token: TokenParameter, clock: Clock) => ({
  tokenName: token,
  fromDate: date('YYYY-MM-DD', clock),
  thruDate: date('YYYY-MM-DD', clock, { future: true }),
});

export const inOrder = <T extends z.ZodType<{ fromDate: number; thruDate: number }>>(schema: T) =>
  schema.refine(({ fromDate, thruDate }) => fromDate <= thruDate, {
    path: ['fromDate'],
    message: 'must not be after thruDate',
    params: { fix: 'a date on or before thruDate' },
  });

export const format = z
  .enum(['json', 'csv'], 'must be json or csv')
  .optional()
  .meta({ description: 'Takes precedence over `Accept`', fix: 'json or csv', examples: ['json'] });

const problems: ProblemCode[] = [
  'no_data',
  'overloaded',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
];

export const WINDOW_FACTS = { cost: 1, scope: 'prices', csv: true, headers: ['Quotient-Currency?'], problems } as const;
export type WindowOptions = { catalogue: Catalogue; currencies: readonly Currency[]; clock: Clock };

/** Sends a window's response. A large response waits for the same user's earlier large responses. */
export function createWindowSender(send: Send) {
  const enter = createAnswerQueues();
  return function sendWindow(
    request: FastifyRequest,
    reply: FastifyReply,
    size: WindowSize,
    answer: () => Answer | Promise<Answer>,
  ): void | Promise<void> {
    const give = () => send(request, reply, answer(), request.format);
    return size === 'short' ? give() : enter(request.user, reply.raw, size).then(give);
  };
}

type SendWindow = ReturnType<typeof createWindowSender>;

const CANDLES = {
  header: `${CANDLES_CSV_HEADER}(,currency)?`,
  example: `${CANDLES_CSV_HEADER}\r\n2024-01-01,42280.2,44200,42170.1,44170.9,1875.12345678\r\n`,
  note: ', with a last column `currency` for currencies other than `usd`',
};

const CANDLE_RULES =
  '`date` is the start of a candle. The unfinished candle is omitted. In a candle without trades, all four ' +
  'prices are the last price and the volume is 0. A candle can be corrected until an hour after its end. Kraken ' +
  'provides the newest 720 candles of each interval, and the archive keeps them for as long as the operator has ' +
  'configured. Missing spans are listed in `Quotient-Gaps`. If the whole window is missing, the response is ' +
  '404 `no_data` with `gaps`.';

const CANDLE_INTERVAL = {
  description: 'The duration of a candle: five minutes, an hour or a day (UTC)',
  fix: 'minute, hourly or daily',
  examples: ['daily'],
};

const contract = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  tags: ['history'],
  summary: 'Read candles between two dates',
  description: `Returns open, high, low, close and volume from Kraken (\`Quotient-Source\`). In other currencies, all four prices are converted at the rate of the date on which the candle starts. In \`btc\` and \`eth\`, the rate is the open price of that token's candle at the same time. ${CANDLE_RULES}`,
  operationId: 'getCandles',
  querystring: inOneCurrency(
    inOrder(z.object({ ...dates(token, clock), interval: interval.meta(CANDLE_INTERVAL), format, ...currency })),
  ),
  response: { 200: orCsv('The finished candles, ascending', z.array(candle), CANDLES) },
});

type Options = WindowOptions & { candles: Candles; sendWindow: SendWindow };

export const priceCandles: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, candles, clock, sendWindow } = options;
  const schema = contract(tokenName(catalogue), currencyParameters(currencies), clock);
  const config = { ...WINDOW_FACTS, headers: ['Quotient-Source', ...WINDOW_FACTS.headers] } as const;

  app.get('/ohlc', { schema, config }, (request, reply) => {
    const { tokenName, fromDate, thruDate } = request.query;
    const interval = INTERVALS[request.query.interval];
    const size = candles.size(tokenName, rangeWindow(interval, fromDate, thruDate, clock.now()));
    const answer = () =>
      candles.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
    return sendWindow(request, reply, size, answer);
  });
};
