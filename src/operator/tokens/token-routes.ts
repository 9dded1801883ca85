import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isTokenId, isTokenSymbol } from '#catalogue/token';
import { adminOf } from '#core/actor';
import { cursor, limit, singleLineText } from '../parameters.ts';
import { addedToken, coinRecord, tokenPage } from './token-records.ts';
import type { TokenChanges } from './tokens.ts';

const tokenId = (description: string) =>
  z
    .string('must be a CoinGecko ID')
    .refine(isTokenId, 'must be a CoinGecko ID')
    .meta({
      description,
      fix: 'a CoinGecko ID such as dogecoin',
      examples: ['dogecoin'],
    });

const tags = ['tokens'];
const consumes = ['application/json'];
const params = z.object({ id: tokenId('The CoinGecko ID of the token') });
const noContent = (description: string) => ({ 204: z.undefined().meta({ description }) });

const list = {
  tags,
  summary: 'List the served tokens',
  operationId: 'listServedTokens',
  description: 'Returns the tokens in the order in which they were added.',
  querystring: z.object({
    query: singleLineText('A part of the ID, the symbol or the title', 'doge', 100).optional(),
    cursor,
    limit,
  }),
  response: { 200: tokenPage },
};

const find = {
  tags,
  summary: 'Find coins at CoinGecko',
  operationId: 'findCoins',
  description:
    "Searches CoinGecko's list of coins, which is fetched at most once a day. The first coins are those that equal the text.",
  querystring: z.object({ query: singleLineText('A part of the ID or the name, or the symbol', 'doge', 100) }),
  response: { 200: z.array(coinRecord).meta({ description: 'The best matches' }) },
};

const add = (exchanges: readonly string[]) => ({
  tags,
  summary: 'Add or update a token',
  operationId: 'addToken',
  description:
    'Serves the coin with this CoinGecko ID. If a token exists, its data is updated. The pairs are found by the symbol, ' +
    "and are used only if the exchange's price is near CoinGecko's price. Two calls to CoinGecko count toward the " +
    "service's budget. Running processes apply the change within seconds.",
  params,
  consumes,
  body: z.object({
    symbol: z
      .string('must be a symbol')
      .transform((text) => text.toLowerCase())
      .refine(isTokenSymbol, 'must be a symbol')
      .optional()
      .meta({
        description: "The symbol, if CoinGecko's symbol is unsuitable",
        fix: '1 to 50 characters without spaces, commas and control characters',
        wire: { type: 'string', minLength: 1, maxLength: 50, examples: ['doge'] },
      }),
    pairs: z
      .strictObject(
        Object.fromEntries(
          exchanges.map((name) => [name, singleLineText('The pair, or `none`', 'XDGUSD', 50).optional()]),
        ),
        'must be pairs by exchange',
      )
      .optional()
      .meta({
        description: 'The pairs with the US dollar, by exchange, or `none`; by default, they are found by the symbol',
        fix: `an object with the members ${exchanges.join(', ')}`,
      }),
  }),
  response: { 200: addedToken },
});

const setSuccessor = {
  tags,
  summary: 'Set or remove the successor of a token',
  operationId: 'setSuccessor',
  description:
    "Requests for the token then return the successor's data, for example after it was renamed. To remove the successor, " +
    'send null.',
  params,
  consumes,
  body: z.object({ successor: tokenId('The ID of the served token whose data is returned, or null').nullable() }),
  response: noContent('Changed'),
};

const remove = {
  tags,
  summary: 'Remove a token',
  operationId: 'removeToken',
  description:
    'The token is no longer served. Its stored data is kept, and is served again if the token is added again.',
  params,
  response: noContent('Removed'),
};

const UPSTREAM = ['upstream_invalid', 'upstream_unavailable', 'upstream_timeout'] as const;

export const tokenRoutes: FastifyPluginAsyncZod<{ tokens: TokenChanges }> = async (app, { tokens }) => {
  const config = { problems: ['not_found', 'token_rejected'] as const };

  app.get('/tokens', { schema: list }, async ({ query }) => tokens.list(query));

  app.get('/coins', { schema: find, config: { problems: ['token_rejected', ...UPSTREAM] } }, async ({ query }) =>
    tokens.find(query.query),
  );

  app.put(
    '/tokens/:id',
    { schema: add(tokens.exchanges), config: { problems: [...config.problems, ...UPSTREAM] } },
    async (request) => tokens.add(adminOf(request), request.params.id, request.body),
  );

  app.put('/tokens/:id/successor', { schema: setSuccessor, config }, async (request, reply) => {
    await tokens.setSuccessor(adminOf(request), request.params.id, request.body.successor);
    return reply.code(204).send();
  });

  app.delete('/tokens/:id', { schema: remove, config }, async (request, reply) => {
    await tokens.remove(adminOf(request), request.params.id);
    return reply.code(204).send();
  });
};
