import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Clock } from '#core/clock';
import { rangeWindow } from '#prices/model/interval';
import { candle } from '#prices/model/records';
import { currencyOf, currencyParameters, inOneCurrency, tokenName } from '#prices/parameters';
import { CANDLES_CSV_HEADER } from './candles/candle-import.ts';
import type { Candles } from './candles/candles.ts';
import {
  type CurrencyParameters,
  dates,
  formats,
  INTERVALS,
  inOrder,
  interval,
  orCsv,
  type TokenParameter,
  WINDOW_FACTS,
  type WindowOptions,
} from './routes-history.ts';

const CANDLES = {
  header: `${CANDLES_CSV_HEADER}(,currency)?`,
  example: `${CANDLES_CSV_HEADER}\r\n2024-01-01,42280.2,44200,42170.1,44170.9,1875.12345678\r\n`,
  note: '. For currencies other than `usd`, the last column is `currency`',
};

const CANDLE_RULES =
  '`date` is the start of a candle. The response contains only finished candles. If a candle has no ' +
  'trades, all four prices are the last price, and the volume is 0. A candle can change until an hour ' +
  'after its end. Kraken provides the newest 720 candles of each interval. The operator configures how ' +
  'long the archive keeps candles. `Quotient-Gaps` lists missing periods. If the whole period is missing, ' +
  'the response is 404 `no_data` with `gaps`.';

const CANDLE_INTERVAL = {
  description: 'The length of a candle: five minutes (`minute`), an hour or a day (UTC)',
  fix: 'minute, hourly or daily',
  examples: ['daily'],
};

const contract = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  tags: ['history'],
  summary: 'Read candles between two dates',
  description: `Returns the open, high, low and close prices and the volume from Kraken. In other currencies, all four prices are converted at the rate for the date on which the candle starts. For \`btc\` and \`eth\`, the rate is the open price of the bitcoin or ethereum candle at the same time. ${CANDLE_RULES}`,
  operationId: 'getCandles',
  querystring: inOneCurrency(
    inOrder(z.object({ ...dates(token, clock), interval: interval.meta(CANDLE_INTERVAL), ...formats, ...currency })),
  ),
  response: { 200: orCsv('The finished candles, oldest first', z.array(candle), CANDLES) },
});

type Options = WindowOptions & { candles: Candles };

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
