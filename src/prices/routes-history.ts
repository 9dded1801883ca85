import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Candles } from '#prices/candles/candles';
import type { Market } from '#prices/market';
import { daysWindow, rangeWindow } from '#prices/model/interval';
import { dateSnapshot, priceSeries } from '#prices/model/records';
import { currencyOf, currencyParameters, date, days, inOneCurrency, tokenName } from '#prices/parameters';
import { priceCandles } from '#prices/routes-window';
import type { Send } from '#server/replies/write-answer';
import {
  type CurrencyParameters,
  createWindowSender,
  dates,
  format,
  INTERVALS,
  inOrder,
  interval,
  orCsv,
  type TokenParameter,
  WINDOW_FACTS,
  type WindowOptions,
} from './routes-window.ts';

const REACH =
  'The archive is filled from CoinGecko, as far back as its plan allows. If part of the window is unavailable, ' +
  'the response contains the available points, and `Quotient-Gaps` lists the missing spans. If the whole ' +
  'window is missing, the response is 404 `no_data` when the token was not listed yet. It is 404 `no_data` with ' +
  '`gaps` for minutes older than 24 hours, which CoinGecko does not provide. Otherwise, it is 503 ' +
  '`upstream_unavailable` with `gaps`.';

const contracts = (token: TokenParameter, currency: CurrencyParameters, clock: Clock) => ({
  date: {
    tags: ['history'],
    summary: 'Read the price on a date',
    description:
      "Until today's daily figures are available, the first sample of the day is returned. A few old dates " +
      `have no midnight sample: their only sample is returned. ${REACH}`,
    operationId: 'getPriceHistoryByDate',
    querystring: inOneCurrency(z.object({ tokenName: token, date: date('DD-MM-YYYY', clock), format, ...currency })),
    response: { 200: orCsv('An array of one snapshot', z.array(dateSnapshot)) },
  },
  days: {
    tags: ['history'],
    summary: 'Read the price history of the last n days',
    description:
      '`days=1` returns the last 24 hours in five-minute points, 2 to 10 return hourly points, and 11 or more return ' +
      `one point per midnight (UTC), then the latest sample at its own time. ${REACH}`,
    operationId: 'getPriceHistoryByDays',
    querystring: inOneCurrency(z.object({ tokenName: token, days, format, ...currency })),
    response: { 200: orCsv('An array of one series', z.array(priceSeries)) },
  },
  range: {
    tags: ['history'],
    summary: 'Read the price history between two dates',
    description: `A \`thruDate\` in the future counts as today. In a daily series up to today, the latest sample is the last point. ${REACH}`,
    operationId: 'getPriceHistoryByRange',
    querystring: inOneCurrency(inOrder(z.object({ ...dates(token, clock), interval, format, ...currency }))),
    response: { 200: orCsv('A series', priceSeries) },
  },
});

type Options = WindowOptions & { market: Market; candles: Candles; send: Send };

export const priceHistory: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, market, candles, clock, send } = options;
  const sendWindow = createWindowSender(send);
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
    const answer = () =>
      market.range(tokenName, interval, fromDate, thruDate, request.format, currencyOf(request.query));
    return sendWindow(request, reply, size, answer);
  });

  app.register(priceCandles, { catalogue, currencies, candles, clock, sendWindow });
};
