import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Currency } from '#prices/model/currency';
import { latestPrice } from '#prices/model/prices-records';
import {
  callsFor,
  currencyOf,
  currencyParameters,
  flag,
  inOneCurrency,
  MAX_TOKENS,
  TOKENS_PER_CALL,
  tokenName,
  tokenNames,
} from '#prices/parameters';
import type { Send } from '#server/responses/fast-path';
import { tokenPrice } from './latest-records.ts';
import type { LatestPrices } from './latest-response.ts';

const PRICE = `one call for every ${TOKENS_PER_CALL} tokens, rounded up`;

const LAST_GOOD =
  'While the price source is unavailable, the last good response is served, and `Age` states its age. The ' +
  'response is always JSON, regardless of `Accept`.';

const latest = {
  tags: ['prices'],
  summary: 'Read the latest price of a token',
  description: LAST_GOOD,
  operationId: 'getLatestPrice',
  response: { 200: latestPrice },
};

const table = {
  tags: ['prices'],
  summary: 'Read the latest prices of several tokens',
  description:
    `Returns one record per token, in the requested order. Accepts up to ${MAX_TOKENS} tokens, without ` +
    `duplicates. The request costs ${PRICE}: ${TOKENS_PER_CALL} tokens cost 1 call, ${TOKENS_PER_CALL + 1} ` +
    `tokens cost 2 calls, and ${MAX_TOKENS} tokens cost ${callsFor(MAX_TOKENS)} calls. If fewer calls are ` +
    'left, the response is 429 `quota_exceeded`, and no call is charged. If the price of a token is unknown, ' +
    'all its figures are `null`. If the prices of all tokens are unknown, the response is a problem. ' +
    '`change_24h` is computed from the archive of the service. The archive of a token starts with the first ' +
    'request for the token. `Age` is the age of the oldest price. `Last-Modified` is the time of the newest ' +
    'price. `sparkline=true` adds the archived prices of the last 24 hours, at no further cost. Like `change_24h`, ' +
    `they start with the first request for the token. ${LAST_GOOD}`,
  operationId: 'getLatestPrices',
  response: { 200: z.array(tokenPrice).meta({ description: 'One record per token, in the requested order' }) },
};

const config = {
  cost: 1,
  scope: 'prices',
  headers: ['Quotient-Currency?', 'Quotient-Token?'],
  problems: ['no_data', 'upstream_invalid', 'upstream_unavailable', 'upstream_timeout'],
} as const;

const sparkline = flag('Adds `sparkline_24h`, the archived prices of the last 24 hours');

type Options = { catalogue: Catalogue; currencies: readonly Currency[]; market: LatestPrices; send: Send };

export const priceLatest: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, market, send } = options;
  const currency = currencyParameters(currencies);
  const oneToken = inOneCurrency(z.object({ tokenName: tokenName(catalogue), ...currency }));
  app.get('/token', { schema: { ...latest, querystring: oneToken }, config }, (request, reply) =>
    send(request, reply, market.latest(request.query.tokenName, currencyOf(request.query))),
  );

  const several = inOneCurrency(z.object({ tokenNames: tokenNames(catalogue), sparkline, ...currency }));
  const cost = ({ tokenNames }: { tokenNames: readonly unknown[] }) => callsFor(tokenNames.length);
  app.get(
    '/tokens',
    { schema: { ...table, querystring: several }, config: { ...config, cost, price: PRICE } },
    (request, reply) => {
      const { tokenNames, sparkline } = request.query;
      return send(request, reply, market.latestOf(tokenNames, currencyOf(request.query), sparkline));
    },
  );
};
