import type { z } from 'zod';
import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import type { FoundPair } from '#catalogue/listing';
import type { Token, TokenName } from '#catalogue/token';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import {
  CANDLE_MINUTES,
  type Candle,
  type CandleMinutes,
  candleLength,
  closingSample,
  implausibleCandle,
  type SourcedCandles,
} from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { Quote, Sample } from '#prices/model/sample';
import { UpstreamFailure } from '#upstream/failure';
import { implausible } from '#upstream/plausible';
import { openUpstream, type UpstreamOptions, type UpstreamRequest } from '#upstream/transport/upstream';
import { createPlausible, type Dropped } from './dropped-samples.ts';
import {
  assetPairs,
  createTradedPairs,
  type ListedPair,
  ohlcOf,
  type PairNames,
  read,
  tickerOf,
  type UntradedPair,
  UPSTREAM,
} from './kraken-wire.ts';

/** How many finished candles Kraken returns per interval. */
const CANDLES_SERVED = 720;
/** Limits in bytes. A row takes 90 bytes. In 2026, the ticker of all pairs took 430 KB, and the list took 0.9 MB. */
const OHLC_BYTES = 256 * 1024;
const TICKER_BYTES = 1024 * 1024;
const PAIRS_BYTES = 4 * 1024 * 1024;

type Options = {
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  dropped: Dropped;
  /** Called for each token whose pair is not traded, once per status. */
  untraded: (pair: UntradedPair) => void;
} & Pick<UpstreamOptions, 'url' | 'timeoutMs' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'>;

type SendToKraken = <Body>(request: UpstreamRequest, schema: z.ZodType<Body>) => Promise<Body>;

/** Kraken has started to name pairs by their symbols, so a response may use either name. */
const namesOf = ({ symbol }: Token, pair: string): PairNames => [pair, `${symbol.toUpperCase()}/USD`];

/** Symbols that Kraken spells differently. */
const OWN_SYMBOLS: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
const wsnameOf = (symbol: string): string => `${symbol.toUpperCase()}/USD`;

function dollarPair(pairs: ReadonlyMap<string, ListedPair>, text: string): ListedPair | undefined {
  const upper = text.toUpperCase();
  const inDollars = [...pairs.values()].filter(({ names }) => names.some((name) => /\/Z?USD$/.test(name)));
  const called = (name: string) => inDollars.find(({ names }) => names.includes(name));
  return called(upper) ?? called(wsnameOf(OWN_SYMBOLS[upper] ?? upper)) ?? called(wsnameOf(upper));
}

/** The rows in ascending order. If two rows have the same time, the later row in the response counts. */
const distinct = (rows: readonly Candle[]): Candle[] =>
  [...new Map(rows.map((row) => [row.at, row])).values()].sort((a, b) => a.at - b.at);

/** Kraken's public REST API (docs.kraken.com/api). Every method throws `UpstreamFailure`. */
export function openKrakenSource({ catalogue, clock, dropped, untraded, ...rest }: Options) {
  const { timeoutMs } = rest;
  const upstream = openUpstream({ ...rest, name: UPSTREAM, clock });
  const plausible = createPlausible(UPSTREAM, dropped);
  const tradedPairs = createTradedPairs({ clock, untraded });

  /** Returns a function for the requests of one method call, which share one deadline. */
  function withinDeadline(): SendToKraken {
    const end = clock.elapsed() + timeoutMs;
    return (request, schema) => {
      const withinMs = Math.max(1, Math.ceil(end - clock.elapsed()));
      return upstream.send({ ...request, withinMs }, (answer) => read(schema, answer, clock.now()));
    };
  }

  const requestPairs = (send: SendToKraken) =>
    send({ path: '/AssetPairs', maxBytes: PAIRS_BYTES, ownFailures: new Set(['too_large']) }, assetPairs);

  /** The names of the traded pairs of some tokens. Throws if none is traded. */
  async function namesOfTraded(tokens: readonly TokenName[], send: SendToKraken) {
    const listed = tokens.flatMap((name) => {
      const token = catalogue.named(name);
      return token?.pair === undefined ? [] : [{ token, pair: token.pair }];
    });
    const isTraded = listed.length === 0 ? () => false : await tradedPairs(() => requestPairs(send));
    const wanted = listed.flatMap(({ token, pair }) =>
      isTraded({ token: token.name, pair }) ? [{ token, pair, names: namesOf(token, pair) }] : [],
    );
    const [first, ...others] = wanted;
    if (first) return [first, ...others] as const;
    throw new UpstreamFailure(UPSTREAM, 'not_listed', `does not trade ${tokens.join(', ')}`, { sent: false });
  }

  /** The finished candles from `from` (Unix ms) on; all by default. Fails with `not_listed` for an untraded token. */
  async function candles(name: TokenName, minutes: CandleMinutes, from?: number): Promise<SourcedCandles> {
    const length = minutes * MINUTE;
    const send = withinDeadline();
    const [{ token, pair, names }] = await namesOfTraded([name], send);
    // One second earlier, because Kraken does not document whether `since` includes a candle that starts at that time.
    const since = from !== undefined && { since: String(Math.max(0, Math.floor(from / SECOND) - 1)) };
    const query: Record<string, string> = { pair, interval: String(minutes), ...since };
    const { rows, last } = await send({ path: '/OHLC', query, maxBytes: OHLC_BYTES }, ohlcOf(names));
    const now = clock.now();
    const finished = distinct(rows.filter(({ at }) => at <= last));
    const listed = plausible(`/OHLC?pair=${pair}`, finished, (candle) =>
      implausibleCandle(beginningOf(token), candle, length, now),
    );
    const wanted = from ?? beginningOf(token);
    // If there are fewer rows than Kraken keeps, no others exist in the requested time.
    const first = rows.length < CANDLES_SERVED ? wanted : Math.max(wanted, finished[0]?.at ?? wanted);
    const covers = { from: first, thru: last + length - 1 };
    return {
      candles: listed.filter(({ at }) => at >= wanted),
      covers: covers.from <= covers.thru ? covers : undefined,
    };
  }

  return {
    name: UPSTREAM,
    reach: (interval: Interval, now: number): number => now - CANDLES_SERVED * candleLength(interval),

    /** The price of each token's last trade, dated now: the response states no time. Omits tokens without a price. */
    async quotes(tokens: readonly TokenName[]): Promise<Quote[]> {
      const send = withinDeadline();
      const traded = await namesOfTraded(tokens, send);
      const path = '/Ticker';
      const query = { pair: traded.map(({ pair }) => pair).join(',') };
      const names = traded.map((one) => one.names);
      const prices = await send({ path, query, maxBytes: TICKER_BYTES }, tickerOf(names));
      const now = clock.now();
      const quotes = traded.flatMap(({ token: { name: token } }, i) => {
        const price = prices[i];
        return price === undefined ? [] : [{ token, price, at: now }];
      });
      if (quotes.length === 0) throw new UpstreamFailure(UPSTREAM, 'empty', 'none of the requested pairs');
      return plausible(path, quotes, ({ token, ...sample }) =>
        implausible(beginningOf(catalogue.named(token)), sample, now),
      );
    },

    candles,

    /** Finds a pair against the US dollar by symbol (`btc`) or Kraken pair name, and the price of its last trade. */
    async pairOf(text: string): Promise<FoundPair | undefined> {
      const send = withinDeadline();
      const found = dollarPair(await requestPairs(send), text);
      if (!found) return undefined;
      const [pair] = found.names;
      const query = { pair };
      const names = [...found.names, wsnameOf(text)];
      const [price] = await send({ path: '/Ticker', query, maxBytes: TICKER_BYTES }, tickerOf([names]));
      return { pair, status: found.status, price };
    },

    /** The close of each finished candle as a sample at the candle's end, from `from` (Unix ms) on. */
    async samples(token: TokenName, interval: Interval, from?: number): Promise<Sample[]> {
      const length = candleLength(interval);
      const first = from === undefined ? undefined : from - length;
      const listed = await candles(token, CANDLE_MINUTES[interval], first);
      return listed.candles.map((candle) => closingSample(candle, length));
    },

    close: upstream.close,
  };
}

export type Kraken = ReturnType<typeof openKrakenSource>;
export type FallbackSource = Pick<Kraken, 'name' | 'reach' | 'quotes' | 'samples'>;
