import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import { type Clock, iso, isoDate, isoOrNull, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import type { CandleAvailability, FirstCandles } from '#prices/candles/candle-availability';
import type { Market } from '#prices/market';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { type TokenRecord, tokenRecord } from '#prices/model/prices-records';
import { type Body, bodyOf, longBodyOf } from '#server/responses/response-body';
import { sendShared } from '#server/responses/static-content';

const schema = {
  tags: ['tokens'],
  summary: 'List the tokens and their available data',
  description:
    'Returns the tokens in the order in which they were added. The operator can add tokens, and remove all ' +
    'tokens except the built-in tokens. Other endpoints accept the `tokenName` or the `symbol` of a token. ' +
    'If several tokens share a symbol, the symbol refers to the first token in this list. The symbol of a token ' +
    'that was added on request is not accepted. `available` contains the first available date of prices and ' +
    'candles for each interval.',
  operationId: 'listTokens',
  response: { 200: z.array(tokenRecord).meta({ description: 'All tokens' }) },
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

const byInterval = <Value>(of: (interval: Interval) => Value) =>
  Object.fromEntries(INTERVALS.map((interval) => [interval, of(interval)])) as Record<Interval, Value>;

type Listed = Awaited<ReturnType<Market['tokens']>>[number];

function toRecord(
  { token, listedAt, held, firstPrice, pricedAt, isInactive }: Listed,
  firstCandles: FirstCandles | undefined,
): TokenRecord {
  const archive = byInterval((interval) => {
    const row = held.find((span) => span.interval === interval);
    return row
      ? { from: iso(row.from), thru: iso(row.thru), points: row.points }
      : { from: null, thru: null, points: 0 };
  });
  const { name: tokenName, symbol, title, statistics } = token;
  const endpoints = [...PRICES, ...(firstCandles ? [CANDLES] : []), ...(statistics ? [STATISTICS] : [])];
  const dateOfCandle = (at: number | undefined) => (at === undefined ? null : isoDate(at));
  const available = {
    prices: byInterval((interval) => isoDate(firstPrice(interval))),
    candles: firstCandles ? byInterval((interval) => dateOfCandle(firstCandles[interval])) : null,
  };
  const life = { inactive: isInactive, lastPriceAt: isoOrNull(pricedAt), successor: token.successor ?? null };
  return { tokenName, symbol, title, listed: isoDate(listedAt), ...life, endpoints, archive, available };
}

/** How long all clients share a list, in ms. Requests need no key. */
const KEPT_FOR = SECOND;
const LONG_LIST = 200;
type Options = { catalogue: Catalogue; market: Market; firstCandles: CandleAvailability; clock: Clock };

/** Creates the shared body. A list of a thousand tokens takes half a megabyte. */
function createList({ catalogue, market, firstCandles, clock }: Options) {
  async function make(): Promise<Body> {
    const [all, firstCandlesOf] = await Promise.all([market.tokens(), firstCandles()]);
    function* pieces() {
      let before = '[';
      for (const listed of all) {
        const { token, listedAt } = listed;
        yield `${before}${JSON.stringify(toRecord(listed, firstCandlesOf(token.name, listedAt)))}`;
        before = ',';
      }
      yield ']';
    }
    return all.length > LONG_LIST ? longBodyOf(pieces) : bodyOf([...pieces()].join(''));
  }

  const list = memo(make, { ttl: KEPT_FOR, clock });
  return () => list(`${catalogue.generation()}:${market.generation()}`);
}

const config = { open: true, headers: ['ETag', 'Vary'], problems: ['database_unavailable'] } as const;

export const tokens: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const list = createList(options);
  app.get('/tokens', { schema, config }, async (request, reply) =>
    sendShared(request, reply, await list(), { type: 'application/json; charset=utf-8' }),
  );
};
