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
  format,
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
