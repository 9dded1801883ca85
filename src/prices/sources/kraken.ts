import { SECOND } from '#core/clock';
import { implausibleCandle } from '#prices/model/candle';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { readItems } from '#upstream/items/items';
import { type CandleItems, newestFinished, orderedRows } from './candle-rows.ts';
import type { CandleRequest, Exchange, LastTrade, SendToExchange } from './exchange.ts';
import { candleOfRow, itemsByPair, KRAKEN, lastPriceOf, type Ohlc, ohlcOf, read, readPair } from './kraken-wire.ts';
import type { ListedPair, PairList, PairNames } from './listed-pairs.ts';

/** Limits in bytes. A row takes 90 bytes. In 2026, the ticker of all pairs took 430 KB, and the list took 0.9 MB. */
const OHLC_BYTES = 256 * 1024;
const TICKER_BYTES = 1024 * 1024;
const PAIRS_BYTES = 4 * 1024 * 1024;

const CANDLES_SERVED = 720;
/** With more pairs, the response for all pairs is requested, because long URLs may be rejected. */
const MAX_NAMED = 50;
const PATHS = { pairs: '/AssetPairs', trades: '/Ticker' };

/** Requests the items of pairs, or of all pairs if Kraken does not know one of them. */
async function ticker(pairs: readonly string[], send: SendToExchange) {
  const all = { path: PATHS.trades, maxBytes: TICKER_BYTES };
  if (pairs.length > MAX_NAMED) return send(all, itemsByPair);
  try {
    return await send({ ...all, query: { pair: pairs.join(',') } }, itemsByPair);
  } catch (error) {
    const isUnknown = error instanceof UpstreamFailure && error.reason === 'not_listed';
    if (!isUnknown || pairs.length === 1) throw error;
    return send(all, itemsByPair);
  }
}

/** The response contains no times. */
async function requestTrades(pairs: readonly PairNames[], send: SendToExchange) {
  const mainNames = pairs.map(([name]) => name);
  const items = await ticker(mainNames, send);
  const reported = pairs.flatMap((names): [string, LastTrade][] => {
    const name = names.find((name) => Object.hasOwn(items, name));
    if (name === undefined) return [];
    const price = lastPriceOf(items[name]);
    return [[names[0], price === undefined ? 'malformed' : { price }]];
  });
  return new Map(reported);
}

/** Throws `UpstreamFailure` if the response states a wrong time for its newest finished candle. */
function finishedCandles({ rows, last }: Ohlc, { beginning, length, from = beginning, now }: CandleRequest) {
  let first = Number.POSITIVE_INFINITY;
  const unfinished = new Set<number>();
  const items = readItems(rows, {
    read(row) {
      const candle = candleOfRow(row);
      if (!candle) return 'malformed';
      // The figures of the unfinished candle are not checked.
      if (candle.at > last) {
        unfinished.add(candle.at);
        return undefined;
      }
      first = Math.min(first, candle.at);
      return implausibleCandle(beginning, candle, length, now) ?? candle;
    },
  });
  if (unfinished.size > 1)
    throw new UpstreamFailure(KRAKEN, 'unexpected', 'several candles after the newest finished one');
  // Whatever the response states, the newest finished candle ends no later than now.
  const newest = Math.min(last, newestFinished(now, length));
  // A response with fewer rows than Kraken keeps contains all that Kraken keeps.
  const oldest = rows.length < CANDLES_SERVED ? newest - (CANDLES_SERVED - 1) * length : first;
  const coveredSpan = { from: Math.max(from, oldest), thru: newest + length - 1 };
  return { items: orderedRows(items), covers: coveredSpan.from <= coveredSpan.thru ? coveredSpan : undefined };
}

async function requestCandles(names: PairNames, request: CandleRequest, send: SendToExchange): Promise<CandleItems> {
  const { minutes, from } = request;
  // One second earlier, because Kraken does not document whether `since` includes a candle that starts at that time.
  const since = from !== undefined && { since: String(Math.max(0, Math.floor(from / SECOND) - 1)) };
  const query: Record<string, string> = { pair: names[0], interval: String(minutes), ...since };
  const path = `/OHLC?pair=${names[0]}`;
  const ohlc = await send({ path: '/OHLC', circuit: path, query, maxBytes: OHLC_BYTES }, ohlcOf(names));
  return { path, ...finishedCandles(ohlc, request) };
}

const OWN_SYMBOLS: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };

function dollarPair(pairs: PairList, text: string): ListedPair | undefined {
  const upper = text.toUpperCase();
  const isInDollars = ({ names }: ListedPair) => names.some((name) => /\/Z?USD$/.test(name));
  const names = [upper, `${OWN_SYMBOLS[upper] ?? upper}/USD`, `${upper}/USD`];
  return names.flatMap((name) => pairs.get(name) ?? []).find(isInDollars);
}

/** Kraken's public REST API (docs.kraken.com/api). */
export const kraken: Exchange = {
  name: KRAKEN,
  title: 'Kraken',
  url: 'https://www.kraken.com',
  provides: ['latest', 'history', 'candles'],
  terms: 'https://www.kraken.com/legal',
  api: 'https://api.kraken.com/0/public',
  // Keeps the calls below the only rate limit in Kraken's documentation: one call a second.
  budget: { perMinute: 60, perMonth: Number.POSITIVE_INFINITY },
  latestCalls: 10,
  candles: CANDLES_SERVED,
  // One call returns the prices of all pairs.
  batch: Number.POSITIVE_INFINITY,
  read,
  dollarPair,
  paths: PATHS,
  requestTrades,
  requestCandles,

  async requestPairs(send) {
    const request = { path: PATHS.pairs, maxBytes: PAIRS_BYTES, ownFailures: new Set<FailureCause>(['too_large']) };
    return readItems(Object.entries(await send(request, itemsByPair)), { read: readPair });
  },
};
