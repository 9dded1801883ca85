import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Token, TokenName } from '#catalogue/token';
import { type Clock, iso, isoDate, isoOrNull, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { mapNames } from '#core/names';
import type { CandleAvailability, FirstCandles } from '#prices/candles/candle-availability';
import { bodyOfList } from '#prices/history/series-text';
import { INTERVALS } from '#prices/model/interval';
import { type TokenRecord, tokenRecord } from '#prices/model/prices-records';
import type { Body } from '#server/responses/response-body';
import { sendShared } from '#server/responses/static-content';
import type { Market } from './open-market.ts';
import { integerTo, tokenName, tokenNames } from './parameters.ts';

const schema = {
  tags: ['tokens'],
  summary: 'List the tokens and their available data',
  description:
    'Returns the tokens in the order in which they were added, or the requested tokens in their order. The ' +
    'operator can add tokens, and remove all tokens except the built-in tokens. Other endpoints accept the ' +
    '`tokenName` or the `symbol` of a token. If several tokens share a symbol, the symbol refers to the first ' +
    'token in this list. The symbol of a token that was added on request is not accepted. `available` contains ' +
    'the first available date of prices and candles for each interval.',
  operationId: 'listTokens',
  response: { 200: z.array(tokenRecord).meta({ description: 'The tokens' }) },
};

const PRICES = [
  '/v1/prices/latest/token',
  '/v1/prices/latest/tokens',
  '/v1/prices/history/date',
  '/v1/prices/history/days',
  '/v1/prices/history/date/range',
  '/v1/prices/stream',
];
const CANDLES = '/v1/prices/history/ohlc';
const STATISTICS = '/v1/prices/latest/stats';

type ReadTokens = Awaited<ReturnType<Market['tokenReader']>>;
type Listed = Awaited<ReturnType<ReadTokens>>[number];

function toRecord(
  { token, listedAt, held, firstPrice, pricedAt, isInactive }: Listed,
  firstCandles: FirstCandles | undefined,
): TokenRecord {
  const archive = mapNames(INTERVALS, (interval) => {
    const row = held.find((span) => span.interval === interval);
    return row
      ? { from: iso(row.from), thru: iso(row.thru), points: row.points }
      : { from: null, thru: null, points: 0 };
  });
  const { name: tokenName, symbol, title, statistics } = token;
  const endpoints = [...PRICES, ...(firstCandles ? [CANDLES] : []), ...(statistics ? [STATISTICS] : [])];
  const dateOfCandle = (at: number | undefined) => (at === undefined ? null : isoDate(at));
  const available = {
    prices: mapNames(INTERVALS, (interval) => isoDate(firstPrice(interval))),
    candles: firstCandles ? mapNames(INTERVALS, (interval) => dateOfCandle(firstCandles[interval])) : null,
  };
  const life = { inactive: isInactive, lastPriceAt: isoOrNull(pricedAt), successor: token.successor ?? null };
  return { tokenName, symbol, title, listed: isoDate(listedAt), ...life, endpoints, archive, available };
}

/** How long all clients share the list and the state of the archive, in ms. Requests need no key. */
const KEPT_FOR = SECOND;
type Options = {
  catalogue: Pick<Catalogue, 'all' | 'find' | 'nearest' | 'generation'>;
  market: Pick<Market, 'tokenReader' | 'generation'>;
  firstCandles: CandleAvailability;
  clock: Clock;
};

function createBodies({ catalogue, market, firstCandles, clock }: Options) {
  const open = async () => ({ read: await market.tokenReader(), firstCandlesOf: await firstCandles() });
  const opened = memo(open, { ttl: KEPT_FOR, clock });
  const version = () => `${catalogue.generation()}:${market.generation()}`;

  async function bodyFor(tokens: readonly Token[]): Promise<Body> {
    const { read, firstCandlesOf } = await opened(version());
    const all = await read(tokens);
    return bodyOfList(all, (listed) => toRecord(listed, firstCandlesOf(listed.token.name, listed.listedAt)));
  }

  const whole = memo(() => bodyFor(catalogue.all()), { ttl: KEPT_FOR, clock });
  return { whole: () => whole(version()), of: bodyFor };
}

/** A page of the catalogue, and the query of the next page if there is one. */
function pageOf(
  all: readonly Token[],
  { limit, after }: { limit?: number | undefined; after?: TokenName | undefined },
) {
  const start = all.findIndex(({ name }) => name === after) + 1;
  const tokens = all.slice(start, limit === undefined ? undefined : start + limit);
  const last = tokens.at(-1);
  const isLast = last === undefined || start + tokens.length === all.length;
  return { tokens, next: isLast ? undefined : `?limit=${limit}&after=${last.name}` };
}

const limit = integerTo(
  1000,
  'The maximum number of tokens. `Link` contains the address of the next page (`next`).',
  100,
);

const config = { open: true, headers: ['ETag', 'Vary', 'Link?'], problems: ['database_unavailable'] } as const;
const sent = { type: 'application/json; charset=utf-8' };

export const tokens: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue } = options;
  const bodies = createBodies(options);
  const querystring = z
    .object({
      tokenNames: tokenNames(catalogue).optional(),
      limit: limit.optional(),
      after: tokenName(catalogue).optional(),
    })
    .refine(({ tokenNames, limit, after }) => tokenNames === undefined || (limit ?? after) === undefined, {
      path: ['tokenNames'],
      message: 'must not be combined with limit or after',
      params: { fix: 'tokenNames alone, or limit and after without tokenNames' },
    });

  app.get('/tokens', { schema: { ...schema, querystring }, config }, async (request, reply) => {
    const { tokenNames, ...page } = request.query;
    if (tokenNames) return sendShared(request, reply, await bodies.of(tokenNames), sent);
    if (page.limit === undefined && page.after === undefined)
      return sendShared(request, reply, await bodies.whole(), sent);
    const { tokens, next } = pageOf(catalogue.all(), page);
    if (next !== undefined) reply.header('link', `<${next}>; rel="next"; title="next page"`);
    return sendShared(request, reply, await bodies.of(tokens), sent);
  });
};
