import { listedAt, type SandboxToken, sandboxToken, sandboxTokens } from '../tokens.ts';
import {
  type Answer,
  DAY,
  jsonReply,
  MINUTE,
  routed,
  SECOND,
  type Setting,
  startOfDate,
  type Upstream,
} from '../upstream.ts';
import { candleAt, type Market, type TradedPair, tradeAt } from './exchange-trades.ts';

type State = { seed: number; now: number };
const KRAKEN_LANE = 9_000;

const ok = (result: unknown): Answer => jsonReply(200, { error: [], result }, { 'cache-control': 'no-cache' });
/** Kraken sends errors with HTTP 200. */
const errorReply = (error: string): Answer => jsonReply(200, { error: [error] });

/** The records of the pairs in `pair`, or of all pairs. */
function byName(query: URLSearchParams, record: (pair: Pair) => unknown): Answer {
  const pairs = query.get('pair')?.split(',').map(pairNamed) ?? allPairs();
  const foundPairs = pairs.filter((found) => found !== undefined);
  if (foundPairs.length < pairs.length) return errorReply('EQuery:Unknown asset pair');
  return ok(Object.fromEntries(foundPairs.map((pair) => [pair.name, record(pair)])));
}

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
  const pair = pairNamed(query.get('pair') ?? '');
  if (!pair) return errorReply('EQuery:Unknown asset pair');
  const length = Number(query.get('interval') ?? 1) * MINUTE;
  const { rows, last } = candleRows({ seed, pair }, length, Number(query.get('since') ?? 0) * SECOND, now);
  return ok({ [pair.name]: rows, last });
}

export function createKraken({ clock, seed }: Setting): Upstream {
  type Request = { query: URLSearchParams; now: number };
  const routes = {
    'GET /OHLC': ({ query, now }: Request) => ohlc(query, { seed, now }),
    'GET /Ticker': ({ query, now }: Request) => byName(query, (pair) => ticker(pair, { seed, now })),
    'GET /AssetPairs': ({ query }: Request) => byName(query, assetPair),
  };
  const upstream = routed('/0/public', clock, routes, () => errorReply('EGeneral:Unknown method'));
  return { ...upstream, rateLimited: () => errorReply('EGeneral:Too many requests') };
}

const MAX_ROWS = 720;

type Row = [time: number, ...figures: [...string[], number]];

/** `[time, open, high, low, close, vwap, volume, count]` of the candle that starts at `at`. */
function candleRow(market: Market, at: number, length: number, now: number): Row {
  const { open, high, low, close, average, volume, trades } = candleAt(market, at, length, now);
  const text = (price: number) => price.toFixed(market.pair.decimals);
  return [at / SECOND, ...[open, high, low, close, average].map(text), volume.toFixed(8), trades] as Row;
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

type Pair = TradedPair & { name: string; altname: string; wsname: string; base: string };

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
  lane: KRAKEN_LANE,
});

const PAIRS: readonly Pair[] = [
  pair('bitcoin', ['XXBTZUSD', 'XBTUSD', 'XBT/USD'], { since: '2013-10-06', decimals: 1 }),
  pair('ethereum', ['XETHZUSD', 'ETHUSD', 'ETH/USD'], { since: '2015-08-07', decimals: 2 }),
  pair('solana', ['SOLUSD', 'SOLUSD', 'SOL/USD'], { since: '2021-06-17', decimals: 2 }),
  pair('usd-coin', ['USDCUSD', 'USDCUSD', 'USDC/USD'], { since: '2020-01-08', decimals: 4 }),
  // This is an illiquid market: some five-minute candles have no trades.
  pair('arweave', ['ARUSD', 'ARUSD', 'AR/USD'], { since: '2025-04-28', decimals: 3, quiet: 0.15 }),
];

/** A synthetic token's pair has been traded since the token's listing. */
function syntheticPairs(token: SandboxToken): Pair[] {
  const name = token.pair;
  if (name === undefined || PAIRS.some((known) => known.token === token.name)) return [];
  const since = new Date(listedAt(token)).toISOString();
  return [pair(token.name, [name, name, name.replace(/USD$/, '/USD')], { since, decimals: token.oddity ? 12 : 6 })];
}
let cachedPairs: readonly Pair[] | undefined;

function allPairs(): readonly Pair[] {
  cachedPairs ??= [...PAIRS, ...[...sandboxTokens().values()].flatMap(syntheticPairs)];
  return cachedPairs;
}

const pairNamed = (name: string): Pair | undefined =>
  allPairs().find((known) => known.name === name || known.altname === name);

const assetPair = ({ token, altname, wsname, base, decimals }: Pair) => ({
  altname,
  wsname,
  aclass_base: 'currency',
  base,
  aclass_quote: 'currency',
  quote: 'ZUSD',
  pair_decimals: decimals,
  lot_decimals: 8,
  status: sandboxToken(token)?.oddity?.pairStatus ?? 'online',
});
