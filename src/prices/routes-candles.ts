import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Clock } from '#core/clock';
import { rangeWindow } from '#prices/model/interval';
import { candle } from '#prices/model/records';
import { currencyOf, currencyParameters, inOneCurrency, tokenName } from '#prices/parameters';
import {
  type CurrencyParameters,
  dates,
  format,
  INTERVALS,
  inOrder,
  interval,
  orCsv,
  type SendWindow,
  type TokenParameter,
  WINDOW_FACTS,
  type WindowOptions,
} from '#prices/routes-window';
import { CANDLES_CSV_HEADER } from './candles/candle-file.ts';
import type { Candles } from './candles/candles.ts';

const CANDLES = {
  header: `${CANDLES_CSV_HEADER}(,currency)?`,
  example: `${CANDLES_CSV_HEADER}\r\n2024-01-01,42280.2,44200,42170.1,44170.9,1875.12345678\r\n`,
  note: ', with a last column `currency` where it is not the US dollar',
};

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

const contract = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
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
