import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Clock } from '#core/clock';
import {
  type CurrencyParameters,
  dates,
  formatParameters,
  inOrder,
  orCsv,
  type TokenParameter,
  WINDOW_FACTS,
  type WindowOptions,
} from '#prices/history/history-routes';
import { CANDLE_INTERVAL_NAMES, candleWindow, intervalsInWords } from '#prices/model/candle';
import { candle } from '#prices/model/prices-records';
import { currencyOf, currencyParameters, inOneCurrency, tokenName } from '#prices/parameters';
import { CANDLES_CSV_HEADER } from './candle-text.ts';
import type { Candles } from './candles.ts';

const CANDLES = {
  header: `${CANDLES_CSV_HEADER}(,currency)?`,
  example: `${CANDLES_CSV_HEADER}\r\n2024-01-01,42280.2,44200,42170.1,44170.9,1875.12345678\r\n`,
  note: '. For currencies other than `usd`, the last column is `currency`',
};

const CANDLE_RULES =
  '`date` is the start of a candle. The response contains only finished candles. If a candle has no ' +
  'trades, all four prices are the last price, and the volume is 0. A candle can change until an hour ' +
  'after its end. Candles of intervals other than `minute`, `hourly` and `daily` are computed from these ' +
  'candles, and exist only if their whole span is covered. Candles start at multiples of their length (UTC), ' +
  'and weeks on Monday. Kraken provides ' +
  'the newest 720 candles of each of the three intervals. The operator configures how ' +
  'long the archive keeps candles. `Quotient-Gaps` lists missing periods. If the whole period is missing, ' +
  'the response is 404 `no_data` with `gaps`.';

const NAMES = CANDLE_INTERVAL_NAMES.join(', ').replace(/, (\w+)$/, ' or $1');

export const candleInterval = z
  .enum(CANDLE_INTERVAL_NAMES, `must be ${NAMES}`)
  .default('daily')
  .meta({ description: `The length of a candle: ${intervalsInWords()}`, fix: NAMES, examples: ['daily'] });

const contract = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  tags: ['history'],
  summary: 'Read candles between two dates',
  description: `Returns the open, high, low and close prices and the volume from Kraken. In other currencies, all four prices are converted at the rate for the date on which the candle starts. For \`btc\` and \`eth\`, the rate is the open price of the bitcoin or ethereum candle at the same time. ${CANDLE_RULES}`,
  operationId: 'getCandles',
  querystring: inOneCurrency(
    inOrder(z.object({ ...dates(token, clock), interval: candleInterval, ...formatParameters, ...currency })),
  ),
  response: { 200: orCsv('The finished candles, oldest first', z.array(candle), CANDLES) },
});

type Options = WindowOptions & { candles: Candles };

export const priceCandles: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, candles, clock, sendWindow } = options;
  const schema = contract(tokenName(catalogue), currencyParameters(currencies), clock);
  const config = { ...WINDOW_FACTS, headers: ['Quotient-Source', ...WINDOW_FACTS.headers] } as const;

  app.get('/ohlc', { schema, config }, (request, reply) => {
    const { tokenName, fromDate, thruDate, interval } = request.query;
    const size = candles.size(tokenName, candleWindow(interval, fromDate, thruDate, clock.now()));
    const response = () =>
      candles.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
    return sendWindow(request, reply, size, response);
  });
};
