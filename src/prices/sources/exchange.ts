import type { z } from 'zod';
import type { CandleMinutes } from '#prices/model/candle';
import type { MarketSourceName, SourceFacts } from '#prices/model/market-sources';
import type { Budget } from '#upstream/budget';
import type { Items } from '#upstream/items/items';
import type { createJsonReader } from '#upstream/transport/json-response';
import type { UpstreamRequest } from '#upstream/transport/upstream';
import type { CandleItems } from './candle-rows.ts';
import type { ListedPair, PairList, PairNames } from './listed-pairs.ts';

/** Sends a request and parses the response. All requests of one call share a deadline. */
export type SendToExchange = <Body>(request: UpstreamRequest, schema: z.ZodType<Body>) => Promise<Body>;

/** Instants in Unix ms, `length` in ms. Without `from`, all candles since the token's `beginning` are requested. */
export type CandleRequest = {
  beginning: number;
  minutes: CandleMinutes;
  length: number;
  from: number | undefined;
  now: number;
};

/** The last trade, at the time that the exchange states. `malformed` affects only its own pair. */
export type LastTrade = { price: number; at?: number | undefined } | 'malformed';

/** A source with pairs, last trades and candles. Every method throws `UpstreamFailure`. */
export type Exchange = SourceFacts & {
  name: MarketSourceName;
  api: string;
  budget: Budget;
  /** The calls per minute that are reserved for latest prices and the list of pairs. Candles can use the rest. */
  latestCalls: number;
  /** For each interval, the number of finished candles that the exchange provides or that one fetch requests. */
  candles: number;
  /** The maximum number of tokens whose latest prices one fetch requests. */
  batch: number;
  read: ReturnType<typeof createJsonReader>;
  /** Finds a pair with the US dollar by symbol or by a name that the exchange lists. */
  dollarPair(pairs: PairList, text: string): ListedPair | undefined;
  paths: { pairs: string; trades: string };
  requestPairs(send: SendToExchange): Promise<Items<ListedPair>>;
  /** Returns the last trades by the main names of pairs. Omits pairs that the response lacks. */
  requestTrades(pairs: readonly PairNames[], send: SendToExchange): Promise<ReadonlyMap<string, LastTrade>>;
  requestCandles(names: PairNames, request: CandleRequest, send: SendToExchange): Promise<CandleItems>;
};
