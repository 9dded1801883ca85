import { listedAt, type SandboxToken, sandboxTokens } from '../tokens.ts';
import {
  type Answer,
  DAY,
  iso,
  jsonReply,
  SECOND,
  type Setting,
  type Upstream,
  type UpstreamRequest,
} from '../upstream.ts';
import { candleAt, isQuiet, type TradedPair, tradeAt } from './exchange-trades.ts';

type Product = TradedPair & { id: string; status: string };

const MAX_CANDLES = 300;
const COINBASE_LANE = 9_300;

const refused = (status: number, message: string): Answer => jsonReply(status, { message });

function productOf(token: SandboxToken): Product[] {
  const { name, product: id, oddity } = token;
  if (id === undefined) return [];
  const status = oddity?.productStatus ?? 'online';
  const since = name === 'solana' ? Date.parse('2021-06-17') : Math.max(listedAt(token), Date.parse('2015-07-20'));
  return [{ token: name, id, status, since, decimals: oddity ? 12 : 6, quiet: oddity ? 0.2 : 0, lane: COINBASE_LANE }];
}

let cachedProducts: ReadonlyMap<string, Product> | undefined;
function products(): ReadonlyMap<string, Product> {
  cachedProducts ??= new Map([...sandboxTokens().values()].flatMap(productOf).map((one) => [one.id, one]));
  return cachedProducts;
}

/** The flags that restrict an online product. */
const FLAGS = ['cancel_only', 'limit_only', 'post_only', 'trading_disabled'] as const;

function productRecord({ id, status }: Product) {
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, flag === status]));
  const isFlag = Object.values(flags).includes(true);
  return {
    id,
    base_currency: id.replace(/-USD$/, ''),
    quote_currency: 'USD',
    display_name: id,
    ...flags,
    status: isFlag ? 'online' : status,
  };
}

function ticker(pair: Product, seed: number, now: number): Answer {
  const price = tradeAt({ seed, pair }, now);
  const { volume } = candleAt({ seed, pair }, now - DAY, DAY, now);
  const text = (figure: number) => figure.toFixed(pair.decimals);
  return jsonReply(200, {
    ask: text(price * 1.0001),
    bid: text(price * 0.9999),
    volume: volume.toFixed(8),
    trade_id: Math.floor(now / SECOND),
    price: text(price),
    size: '0.00782662',
    time: iso(now).replace('Z', '274911Z'),
    rfq_volume: '31.625279',
  });
}

/** The newest candle comes first. Intervals without trades have none. `start` and `end` apply only together. */
function candles(pair: Product, query: URLSearchParams, seed: number, now: number): Answer {
  const seconds = Number(query.get('granularity') ?? 60);
  const length = seconds * SECOND;
  const requestedSpan = [query.get('start'), query.get('end')].map((text) => Date.parse(text ?? ''));
  const isGiven = requestedSpan.every((at) => !Number.isNaN(at));
  const [start = 0, end = 0] = isGiven ? requestedSpan : [now - (MAX_CANDLES - 1) * length, now];
  if ((end - start) / length > MAX_CANDLES)
    return refused(
      400,
      'granularity too small for the requested time range. Count of aggregations requested exceeds 300',
    );
  const rows: number[][] = [];
  const newest = Math.floor(Math.min(end, now) / length) * length;
  // One candle precedes `start`, which Coinbase documents as possible.
  const first = Math.max(Math.ceil(start / length) * length - length, Math.floor(pair.since / length) * length);
  for (let at = newest; at >= first && rows.length < MAX_CANDLES; at -= length) {
    if (isQuiet({ seed, pair }, at, length)) continue;
    const { low, high, open, close, volume } = candleAt({ seed, pair }, at, length, now);
    const prices = [low, high, open, close].map((price) => Number(price.toFixed(pair.decimals)));
    rows.push([at / SECOND, ...prices, Number(volume.toFixed(8))]);
  }
  return jsonReply(200, rows);
}

function answerCoinbase({ method, path, query }: UpstreamRequest, seed: number, now: number): Answer {
  const [, id = '', kind] = /^\/products\/([^/]+)(?:\/(ticker|candles))?$/.exec(path) ?? [];
  if (method === 'GET' && path === '/products') return jsonReply(200, [...products().values()].map(productRecord));
  const product = products().get(id);
  if (method !== 'GET' || !product) return refused(404, 'NotFound');
  if (kind === undefined) return jsonReply(200, productRecord(product));
  if (product.status === 'delisted') return refused(400, 'Not allowed for delisted products');
  return kind === 'ticker' ? ticker(product, seed, now) : candles(product, query, seed, now);
}

/** Coinbase Exchange's public REST API. */
export const createCoinbase = ({ clock, seed }: Setting): Upstream => ({
  prefix: '/coinbase',
  endpointOf: (path) => path.replace(/^\/products\/[^/]+/, '/products/{id}'),
  answer: (request) => answerCoinbase(request, seed, clock.now()),
});
