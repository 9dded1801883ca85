import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
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
  querystring: z.object({ tokenName, ...currency }),
  response: { 200: latestPrice },
};

const config = {
  cost: 1,
  problems: ['upstream_invalid', 'upstream_unavailable', 'upstream_timeout'],
} as const;

export const priceLatest: FastifyPluginAsyncZod<{ market: Market; send: Send }> = async (
  app,
  { market, send },
) => {
  app.get('/token', { schema: latest, config }, (request, reply) =>
    send(request, reply, market.latest(request.query.tokenName)),
  );
};
