import { hashed } from './noise.ts';
import { figuresAt, priceAt } from './price-model.ts';
import { listedAt, type SandboxToken, sandboxTokens } from './tokens.ts';
import {
  type Answer,
  DAY,
  jsonReply,
  MINUTE,
  SECOND,
  type Setting,
  startOfDate,
  type Upstream,
  type UpstreamRequest,
} from './upstream.ts';

type State = { seed: number; now: number };

const LENGTHS = [1, 5, 15, 30, 60, 240, 1440, 10080, 21600];
const ok = (result: unknown): Answer => jsonReply(200, { error: [], result }, { 'cache-control': 'no-cache' });
/** Kraken sends errors with HTTP 200. */
const errorReply = (error: string): Answer => jsonReply(200, { error: [error] });

/** The pairs in `pair`. All pairs if `pair` is absent; undefined if a name is unknown. */
function pairsOf(query: URLSearchParams): readonly Pair[] | undefined {
  const names = query.get('pair');
  if (names === null) return allPairs();
  const pairs = names.split(',').map(pairNamed);
  return pairs.every((found) => found !== undefined) ? (pairs as Pair[]) : undefined;
}

const byName = (pairs: readonly Pair[], record: (pair: Pair) => unknown): Answer =>
  ok(Object.fromEntries(pairs.map((pair) => [pair.name, record(pair)])));

/** Kraken returns two values for each daily figure: since midnight UTC, and for the last 24 hours. */
function ticker(pair: Pair, { seed, now }: State) {
  const market = { seed, pair };
  const price = tradeAt(market, now);
  const text = (figure: number) => figure.toFixed(5);
  const today = candleRow(market, startOfDate(now), DAY, now);
  const day = candleRow(market, now - DAY, DAY, now);
  const both = (place: number) => [today[place], day[place]];
  return {
    a: [text(price * 1.0001), '1', '1.000'],
    b: [text(price * 0.9999), '1', '1.000'],
    c: [text(price), '0.01000000'],
    v: both(6),
    p: both(5),
    t: both(7),
    l: both(3),
    h: both(2),
    o: today[1],
  };
}

function ohlc(query: URLSearchParams, { seed, now }: State): Answer {
  const name = query.get('pair');
  const minutes = Number(query.get('interval') ?? 1);
  const since = Number(query.get('since') ?? 0);
  if (!name || !LENGTHS.includes(minutes) || !Number.isFinite(since)) return errorReply('EGeneral:Invalid arguments');
  const pair = pairNamed(name);
  if (!pair) return errorReply('EQuery:Unknown asset pair');
  const { rows, last } = candleRows({ seed, pair }, minutes * MINUTE, since * SECOND, now);
  return ok({ [pair.name]: rows, last });
}

function answerKraken({ method, path, query }: UpstreamRequest, state: State): Answer {
  if (method !== 'GET') return errorReply('EGeneral:Invalid arguments');
  if (path === '/OHLC') return ohlc(query, state);
  const pairs = pairsOf(query);
  if (!pairs) return errorReply('EQuery:Unknown asset pair');
  if (path === '/Ticker') return byName(pairs, (pair) => ticker(pair, state));
  if (path === '/AssetPairs') return byName(pairs, assetPair);
  return errorReply('EGeneral:Unknown method');
}

export function createKraken({ clock, seed }: Setting): Upstream {
  return {
    prefix: '/0/public',
    answer: (request) => answerKraken(request, { seed, now: clock.now() }),
    rateLimited: () => errorReply('EGeneral:Too many requests'),
  };
}

const MAX_ROWS = 720;
/** Kraken's share of a token's volume, and the maximum deviation from the market price. */
const SHARE = 0.02;
const SPREAD = 0.0004;
const PRICES_PER_CANDLE = 5;
/** These lanes follow the noise lanes of the price model. */
const [SPREAD_LANE, QUIET_LANE, SHARE_LANE] = [9_000, 9_100, 9_200];

type Market = { seed: number; pair: Pair };

/** The price of the last trade at an instant (Unix ms), even before the pair's first trade. */
function tradeAt({ seed, pair }: Market, at: number): number {
  const price = priceAt(seed, pair.token, at) ?? 0;
  const deviation = SPREAD * (2 * hashed(seed, SPREAD_LANE, Math.floor(at / MINUTE)) - 1);
  return Number((price * (1 + deviation)).toFixed(pair.decimals));
}

const isQuiet = ({ seed, pair }: Market, at: number, length: number): boolean =>
  length <= 5 * MINUTE && hashed(seed, QUIET_LANE, Math.floor(at / length)) < pair.quiet;

/** A candle without trades closes at the close of the last candle with trades. */
function closeOf(market: Market, at: number, length: number, now: number): number {
  let start = at;
  while (isQuiet(market, start, length) && start > market.pair.since) start -= length;
  return tradeAt(market, Math.min(start + length, now));
}

type Row = [time: number, ...figures: [...string[], number]];

/** `[time, open, high, low, close, vwap, volume, count]` of the candle that starts at `at`. */
function candleRow(market: Market, at: number, length: number, now: number): Row {
  const { seed, pair } = market;
  const text = (price: number) => price.toFixed(pair.decimals);
  const close = closeOf(market, at, length, now);
  const time = at / SECOND;
  const before = closeOf(market, at - length, length, now);
  if (isQuiet(market, at, length)) {
    const last = text(before);
    return [time, last, last, last, last, text(0), (0).toFixed(8), 0];
  }
  const end = Math.min(at + length, now);
  const trades = Array.from({ length: PRICES_PER_CANDLE }, (_, i) =>
    tradeAt(market, at + ((end - at) * i) / PRICES_PER_CANDLE),
  );
  const prices = [before, ...trades, close];
  const average = prices.reduce((sum, price) => sum + price, 0) / prices.length;
  const { volume = 0, price = 1 } = figuresAt(seed, pair.token, end) ?? {};
  const share = SHARE * (0.5 + hashed(seed, SHARE_LANE, Math.floor(at / length)));
  const traded = ((volume / price) * share * (end - at)) / DAY;
  const [high, low] = [Math.max(...prices), Math.min(...prices)];
  const count = 1 + Math.floor(traded / 2);
  return [time, ...[before, high, low, close, average].map(text), Math.max(traded, 1e-8).toFixed(8), count] as Row;
}

/** The candles after `since` (Unix ms): at most `MAX_ROWS`, and the current candle. */
function candleRows(market: Market, length: number, since: number, now: number) {
  const current = Math.floor(now / length) * length;
  const first = Math.max(
    current - MAX_ROWS * length,
    Math.floor(since / length) * length + length,
    Math.floor(market.pair.since / length) * length,
  );
  const rows: Row[] = [];
  for (let at = Math.min(first, current); at <= current; at += length) rows.push(candleRow(market, at, length, now));
  return { rows, last: (current - length) / SECOND };
}

/** `since` is the time of the first trade. `quiet` is the share of five-minute candles without trades. */
type Pair = {
  token: string;
  name: string;
  altname: string;
  wsname: string;
  base: string;
  decimals: number;
  since: number;
  quiet: number;
};

const pair = (
  token: string,
  [name, altname, wsname]: [string, string, string],
  { since, decimals, quiet = 0 }: { since: string; decimals: number; quiet?: number },
): Pair => ({
  token,
  name,
  altname,
  wsname,
  base: name.replace(/Z?USD$/, ''),
  decimals,
  since: Date.parse(since),
  quiet,
});

const PAIRS: readonly Pair[] = [
  pair('bitcoin', ['XXBTZUSD', 'XBTUSD', 'XBT/USD'], { since: '2013-10-06', decimals: 1 }),
  pair('ethereum', ['XETHZUSD', 'ETHUSD', 'ETH/USD'], { since: '2015-08-07', decimals: 2 }),
  pair('solana', ['SOLUSD', 'SOLUSD', 'SOL/USD'], { since: '2021-06-17', decimals: 2 }),
  pair('usd-coin', ['USDCUSD', 'USDCUSD', 'USDC/USD'], { since: '2020-01-08', decimals: 4 }),
  // An illiquid market, in which some five-minute candles have no trades.
  pair('arweave', ['ARUSD', 'ARUSD', 'AR/USD'], { since: '2025-04-28', decimals: 3, quiet: 0.15 }),
];

/** A synthetic token's pair has been traded since the token's listing. */
function syntheticPairs(token: SandboxToken): Pair[] {
  const name = token.pair;
  if (name === undefined || PAIRS.some((known) => known.token === token.name)) return [];
  const since = new Date(listedAt(token)).toISOString();
  return [pair(token.name, [name, name, name.replace(/USD$/, '/USD')], { since, decimals: 6 })];
}
let cachedPairs: readonly Pair[] | undefined;

export function allPairs(): readonly Pair[] {
  cachedPairs ??= [...PAIRS, ...[...sandboxTokens().values()].flatMap(syntheticPairs)];
  return cachedPairs;
}

const pairNamed = (name: string): Pair | undefined =>
  allPairs().find((known) => known.name === name || known.altname === name);

export const assetPair = ({ altname, wsname, base, decimals }: Pair) => ({
  altname,
  wsname,
  aclass_base: 'currency',
  base,
  aclass_quote: 'currency',
  quote: 'ZUSD',
  lot: 'unit',
  cost_decimals: 5,
  pair_decimals: decimals,
  lot_decimals: 8,
  lot_multiplier: 1,
  leverage_buy: [2, 3, 4, 5],
  leverage_sell: [2, 3, 4, 5],
  fees: [],
  fees_maker: [],
  fee_volume_currency: 'ZUSD',
  margin_call: 80,
  margin_stop: 40,
  ordermin: '0.0001',
  costmin: '0.5',
  tick_size: (10 ** -decimals).toFixed(decimals),
  status: 'online',
});
