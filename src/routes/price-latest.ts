import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#domain/market/catalogue';
import { latestPrice } from '#domain/records';
import { currency, tokenName } from '#http/pipeline/parameters';
import type { Send } from '#http/replies/write-answer';
import type { Market } from '#services/market/market';

const latest = {
  tags: ['prices'],
  summary: 'The latest price of a token',
  description:
    'While the aggregator cannot be asked, the last good answer is given, with its `Age`. JSON is given whatever ' +
    '`Accept` says.',
  operationId: 'getLatestPrice',
  response: { 200: latestPrice },
};

const config = {
  cost: 1,
  problems: ['upstream_invalid', 'upstream_unavailable', 'upstream_timeout'],
} as const;

type Options = { catalogue: Catalogue; market: Market; send: Send };

export const priceLatest: FastifyPluginAsyncZod<Options> = async (app, { catalogue, market, send }) => {
  const querystring = z.object({ tokenName: tokenName(catalogue), ...currency });
  app.get('/token', { schema: { ...latest, querystring }, config }, (request, reply) =>
    send(request, reply, market.latest(request.query.tokenName)),
  );
};
