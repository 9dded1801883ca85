import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { iso, SECOND } from '#core/clock';
import { memberNames } from '#core/names';
import { type Candle, implausibleCandle } from '#prices/model/candle';
import type { FailureCause } from '#upstream/failures/failure';
import { readItems, readMembers } from '#upstream/items/items';
import { createJsonReader, numberOrNumericString, type ReportedError } from '#upstream/transport/json-response';
import { type CandleItems, candleOf, newestFinished, orderedRows } from './candle-rows.ts';
import type { CandleRequest, Exchange, LastTrade, SendToExchange } from './exchange.ts';
import type { ListedPair, PairList, PairNames } from './listed-pairs.ts';

const COINBASE = 'coinbase';

/** Limits in bytes. A candle takes 70 bytes, and a product 700 bytes; Coinbase lists about a thousand products. */
const CANDLES_BYTES = 128 * 1024;
const PRODUCTS_BYTES = 4 * 1024 * 1024;

/** The maximum number of candles per call. Coinbase rejects a longer span. */
const MAX_CANDLES = 300;
const PAGES = 2;
/** Public calls are limited to ten a second per IP address. */
const PER_SECOND = 10;

/** A delisted product has no ticker, and Coinbase rejects the request instead of responding with 404. */
const DELISTED = /delisted/i;
const errorResponse = z.object({ message: z.string() });

function errorIn(body: unknown, status: number): ReportedError | undefined {
  const message = errorResponse.safeParse(body).data?.message;
  if (message === undefined) return undefined;
  const cause: FailureCause | undefined = status === 404 || DELISTED.test(message) ? 'not_listed' : undefined;
  return { message, cause, isOfSource: status === 503 };
}

const text = z.string();
const PRODUCT = { base_currency: text, quote_currency: text, status: text };
const FLAGS = {
  trading_disabled: z.boolean(),
  cancel_only: z.boolean(),
  limit_only: z.boolean(),
  post_only: z.boolean(),
};

/** An `online` product can have flags that restrict trading. The most severe flag is then its status. */
function readProduct(item: unknown, nulled: (member: string) => void): ListedPair | 'malformed' | undefined {
  const { id }: { id?: unknown } = Object(item);
  if (typeof id !== 'string') return 'malformed';
  const { quote_currency, status } = readMembers(item, PRODUCT, nulled);
  if (quote_currency !== 'USD') return undefined;
  const flags = readMembers(item, FLAGS, nulled);
  const restriction = memberNames(FLAGS).find((name) => flags[name]);
  return { names: [id], status: status !== null && status !== 'online' ? status : (restriction ?? 'online') };
}

const trade = z.object({
  price: numberOrNumericString,
  time: z.iso.datetime({ offset: true }).transform(Date.parse).catch(Number.NaN),
});

/** Returns the last trade of a product. Its time can be hours old if the product is illiquid. */
async function lastTradeOf(pair: string, send: SendToExchange): Promise<LastTrade> {
  const response = await send({ path: `/products/${pair}/ticker` }, z.unknown());
  const { data } = trade.safeParse(response);
  if (!data) return 'malformed';
  return { price: data.price, at: Number.isNaN(data.time) ? undefined : data.time };
}

/** Makes one call per pair. Fails only if every call fails. */
async function requestTrades(pairs: readonly PairNames[], send: SendToExchange) {
  const trades = new Map<string, LastTrade>();
  let failure: unknown;
  for (let start = 0; start < pairs.length; start += PER_SECOND) {
    if (start > 0) await wait(SECOND);
    const request = async ([name]: PairNames) => void trades.set(name, await lastTradeOf(name, send));
    const results = await Promise.allSettled(pairs.slice(start, start + PER_SECOND).map(request));
    failure ??= results.find((result) => result.status === 'rejected')?.reason;
  }
  if (trades.size === 0 && failure !== undefined) throw failure;
  return trades;
}

/** `[time, low, high, open, close, volume]`. */
function candleOfRow(row: unknown): Candle | undefined {
  if (!Array.isArray(row)) return undefined;
  const [time, low, high, open, close, volume]: unknown[] = row;
  return candleOf(time, open, high, low, close, volume);
}

function pagesOf(first: number, newest: number, length: number): { start: number; end: number }[] {
  const pages: { start: number; end: number }[] = [];
  for (let end = newest; end >= first; end -= MAX_CANDLES * length) {
    pages.push({ start: Math.max(first, end - (MAX_CANDLES - 1) * length), end });
  }
  return pages;
}

/** Coinbase has no candle for an interval without trades, which counts as a gap like a lost candle. */
async function requestCandles([name]: PairNames, request: CandleRequest, send: SendToExchange): Promise<CandleItems> {
  const { beginning, length, from = beginning, now } = request;
  const path = `/products/${name}/candles`;
  const newest = newestFinished(now, length);
  const oldest = newest - (PAGES * MAX_CANDLES - 1) * length;
  const first = Math.max(oldest, Math.ceil(from / length) * length);
  if (first > newest) return { path, items: readItems<Candle>([], { read: candleOfRow }), covers: undefined };
  const rows = z.array(z.unknown()).max(2 * MAX_CANDLES);
  const pages = await Promise.all(
    pagesOf(first, newest, length).map(({ start, end }) => {
      const query = { granularity: String(length / SECOND), start: iso(start), end: iso(end) };
      return send({ path, query, maxBytes: CANDLES_BYTES }, rows);
    }),
  );
  const read = (row: unknown) => {
    const candle = candleOfRow(row);
    if (!candle) return 'malformed';
    // A response can contain candles before `start`, and the candle in progress.
    if (candle.at < first || candle.at > newest) return undefined;
    return implausibleCandle(beginning, candle, length, now) ?? candle;
  };
  // Coinbase sends the newest candle first.
  const items = orderedRows(readItems(pages.flat().reverse(), { read }));
  // The newest candle can appear late.
  const last = items.accepted.at(-1)?.at ?? newest;
  return { path, items, covers: { from: first, thru: last + length - 1 } };
}

function dollarPair(pairs: PairList, symbolOrId: string): ListedPair | undefined {
  const upper = symbolOrId.toUpperCase();
  return pairs.get(upper) ?? pairs.get(`${upper}-USD`);
}

/** Coinbase Exchange's public REST API (docs.cdp.coinbase.com/exchange). */
export const coinbase: Exchange = {
  name: COINBASE,
  title: 'Coinbase',
  url: 'https://www.coinbase.com',
  provides: ['latest', 'history', 'candles'],
  terms: 'https://www.coinbase.com/legal/market_data',
  api: 'https://api.exchange.coinbase.com',
  budget: { perMinute: 300, perMonth: Number.POSITIVE_INFINITY },
  latestCalls: 120,
  candles: PAGES * MAX_CANDLES,
  // Each token takes one call. A batch of this size can end within the deadline.
  batch: 3 * PER_SECOND,
  read: createJsonReader(COINBASE, errorIn),
  dollarPair,
  paths: { pairs: '/products', trades: '/products/ticker' },
  requestTrades,
  requestCandles,

  async requestPairs(send) {
    const ownFailures = new Set<FailureCause>(['too_large']);
    const products = await send({ path: '/products', maxBytes: PRODUCTS_BYTES, ownFailures }, z.array(z.unknown()));
    return readItems(products, { read: readProduct });
  },
};
