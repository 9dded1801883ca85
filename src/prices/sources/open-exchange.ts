import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import type { FoundPair } from '#catalogue/coin-facts';
import type { Token, TokenName } from '#catalogue/token';
import { MINUTE } from '#core/clock';
import { memo } from '#core/memo';
import { CANDLE_MINUTES, type CandleMinutes, candleLength, type SourcedCandles } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { Quote, Sample } from '#prices/model/sample';
import type { Breaker } from '#upstream/circuit-breaker';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createItemReport, type Dropped, type Rejection, readItems } from '#upstream/items/items';
import { implausible } from '#upstream/items/plausible';
import { openUpstream, type SourceOptions } from '#upstream/transport/upstream';
import type { Exchange, LastTrade, SendToExchange } from './exchange.ts';
import {
  createListedPairs,
  type KnownPair,
  type PairList,
  type PairNames,
  pairList,
  type UntradedPair,
} from './listed-pairs.ts';

/** The `Retry-After` for a pair that is not listed or not traded, in seconds. */
const LISTED_AGAIN = 300;
/** How long the list of pairs and the last trades are reused while tokens are added, in ms. */
const LISTED_FOR = MINUTE;

type Options = SourceOptions & {
  /** Shared by both upstreams, so that the exchange is paused as a whole. */
  breaker: Breaker;
  catalogue: Pick<Catalogue, 'named'>;
  dropped: Dropped;
  /** Like `reserve`, but for candles. */
  reserveHistory: SourceOptions['reserve'];
  /** Called for each token whose pair is not traded, once per status. */
  untraded: (pair: UntradedPair) => void;
};

const connect = (exchange: Exchange, { reserveHistory, ...options }: Options) => ({
  ...options,
  exchange,
  upstream: openUpstream({ ...options, name: exchange.name }),
  /** Candles have their own connections and leave calls for latest prices, so that charts cannot delay them. */
  history: openUpstream({ ...options, reserve: reserveHistory, name: exchange.name }),
  reportItems: createItemReport(exchange.name, options.dropped),
  listedPairs: createListedPairs(options),
});
type State = ReturnType<typeof connect>;

/** Returns a function for the requests of one method call, which share one deadline. */
function withinDeadline({ exchange, upstream, timeoutMs, clock }: State, { send } = upstream): SendToExchange {
  const end = clock.elapsed() + timeoutMs;
  return (request, schema) => {
    const withinMs = Math.max(1, Math.ceil(end - clock.elapsed()));
    return send({ ...request, withinMs }, (response) => exchange.read(schema, response, clock.now()));
  };
}

async function requestPairs({ exchange, reportItems }: State, send: SendToExchange): Promise<PairList> {
  const { accepted } = reportItems(exchange.paths.pairs, await exchange.requestPairs(send));
  if (accepted.length === 0) throw new UpstreamFailure(exchange.name, 'empty', 'no pairs');
  return pairList(accepted);
}

/** Creates the function that finds a pair with the US dollar by symbol (`btc`) or pair name, and its last price. */
function createPairSearch(state: State) {
  const { exchange, clock } = state;
  const listing = { ttl: LISTED_FOR, clock };
  const allPairs = memo(() => requestPairs(state, withinDeadline(state)), listing);
  const allTrades = memo(async () => {
    const pairs = [...new Set((await allPairs()).values())].map(({ names }) => names);
    return exchange.requestTrades(pairs, withinDeadline(state));
  }, listing);

  /** The last trade of a pair outside the served tokens. A pair that is not traded has no price. */
  async function tradeOf(names: PairNames): Promise<LastTrade | undefined> {
    if (!Number.isFinite(exchange.batch)) return (await allTrades()).get(names[0]);
    try {
      return (await exchange.requestTrades([names], withinDeadline(state))).get(names[0]);
    } catch (error) {
      if (error instanceof UpstreamFailure && error.reason === 'not_listed') return undefined;
      throw error;
    }
  }

  return async (text: string): Promise<FoundPair | undefined> => {
    const pair = exchange.dollarPair(await allPairs(), text);
    if (!pair) return undefined;
    const trade = await tradeOf(pair.names);
    const price = trade === undefined || trade === 'malformed' ? undefined : trade.price;
    return { pair: pair.names[0], status: pair.status, price };
  };
}

/** The listed pairs of some tokens. Throws if there are none. A pair that is gone may be listed again. */
async function pairsOf(state: State, tokens: readonly TokenName[], send: SendToExchange) {
  const { exchange, catalogue, listedPairs } = state;
  const configured = tokens.flatMap((tokenName) => {
    const token = catalogue.named(tokenName);
    const pair = token?.pairs[exchange.name];
    return token === undefined || pair === undefined ? [] : [{ token, pair }];
  });
  const find = configured.length === 0 ? () => undefined : await listedPairs.current(() => requestPairs(state, send));
  const [first, ...others] = configured.flatMap(({ token, pair }): (KnownPair & { token: Token })[] => {
    const listed = find({ token: token.name, pair });
    return listed ? [{ token, ...listed }] : [];
  });
  if (first) return [first, ...others] as const;
  throw new UpstreamFailure(exchange.name, 'not_listed', `does not trade ${tokens.join(', ')}`, {
    sent: false,
    retryAfter: configured.length > 0 ? LISTED_AGAIN : undefined,
  });
}

async function requestCandles(state: State, name: TokenName, minutes: CandleMinutes, from?: number) {
  const { exchange, history, reportItems, clock } = state;
  const send = withinDeadline(state, history);
  const [{ token, names }] = await pairsOf(state, [name], send);
  const beginning = beginningOf(token);
  const request = { beginning, minutes, length: minutes * MINUTE, from, now: clock.now() };
  const { path, items, covers } = await exchange.requestCandles(names, request, send);
  return { candles: reportItems(path, items).accepted.filter(({ at }) => at >= (from ?? beginning)), covers };
}

async function requestQuotes(state: State, tokens: readonly TokenName[]): Promise<Quote[]> {
  const { exchange, listedPairs, reportItems, clock } = state;
  const { name, paths } = exchange;
  const send = withinDeadline(state);
  const traded = (await pairsOf(state, tokens, send)).filter(({ isTraded }) => isTraded);
  if (traded.length === 0)
    throw new UpstreamFailure(name, 'not_listed', 'none of the pairs is traded now', {
      sent: false,
      retryAfter: LISTED_AGAIN,
    });
  const pairs = traded.map(({ names }) => names);
  const trades = await exchange.requestTrades(pairs, send);
  const reported = traded.flatMap(({ token, names }) => {
    const trade = trades.get(names[0]);
    return trade ? [{ token, trade }] : [];
  });
  // A pair that the response lacks may have been renamed since the list was read.
  if (reported.length < traded.length && listedPairs.expire()) return requestQuotes(state, tokens);
  if (reported.length === 0) throw new UpstreamFailure(name, 'empty', 'none of the requested pairs');
  const now = clock.now();
  const items = readItems(reported, {
    read({ token, trade }): Quote | Rejection {
      if (trade === 'malformed') return trade;
      const { price, at = now } = trade;
      return implausible(beginningOf(token), { at, price }, now) ?? { token: token.name, price, at };
    },
  });
  return reportItems(paths.trades, items).accepted;
}

/** Repeats failed calls with a fresh list of pairs, because a pair may have been renamed. */
async function withFreshPairs<T>({ listedPairs }: State, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isUnknown = error instanceof UpstreamFailure && error.reason === 'not_listed' && error.sent;
    if (!isUnknown || !listedPairs.expire()) throw error;
    return request();
  }
}

/** Opens an exchange's public API. Every method throws `UpstreamFailure`. */
export function openExchange(exchange: Exchange, options: Options) {
  const state = connect(exchange, options);
  const { name, title, batch } = exchange;

  /** The finished candles from `from` (Unix ms) on; all by default. Fails with `not_listed` for an unlisted token. */
  const candles = (token: TokenName, minutes: CandleMinutes, from?: number): Promise<SourcedCandles> =>
    withFreshPairs(state, () => requestCandles(state, token, minutes, from));

  return {
    name,
    title,
    batch,
    lists: (token: TokenName): boolean => options.catalogue.named(token)?.pairs[name] !== undefined,
    reach: (interval: Interval, now: number): number => now - exchange.candles * candleLength(interval),

    /** The price of each token's last trade. Omits tokens without a price. */
    quotes: (tokens: readonly TokenName[]): Promise<Quote[]> =>
      withFreshPairs(state, () => requestQuotes(state, tokens)),

    candles,
    pairOf: createPairSearch(state),

    /** The close of each finished candle as a sample at the candle's end, from `from` (Unix ms) on. */
    async samples(token: TokenName, interval: Interval, from?: number): Promise<Sample[]> {
      const length = candleLength(interval);
      const first = from === undefined ? undefined : from - length;
      const finished = await candles(token, CANDLE_MINUTES[interval], first);
      return finished.candles.map(({ at, close }) => ({
        at: at + length,
        price: close,
        marketCap: null,
        volume: null,
      }));
    },

    async close(): Promise<void> {
      await state.upstream.close();
      await state.history.close();
    },
  };
}

export type OpenedExchange = ReturnType<typeof openExchange>;
