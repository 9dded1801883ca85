import { jsonReply } from '../core/replies.ts';
import { DAY, MINUTE, SECOND, startOfDate } from '../core/time.ts';
import type { Answer, Setting, Upstream, UpstreamRequest } from '../core/upstream.ts';
import { candleRow, candleRows, tradeAt } from './candles.ts';
import { allPairs, assetPair, type Pair, pairNamed } from './pairs.ts';

type State = { seed: number; now: number };

/** The lengths of candles that the venue knows, in minutes. */
const LENGTHS = [1, 5, 15, 30, 60, 240, 1440, 10080, 21600];

const ok = (result: unknown): Answer =>
  jsonReply(200, { error: [], result }, { 'cache-control': 'no-cache' });
/** Errors come under 200 too. */
const refused = (error: string): Answer => jsonReply(200, { error: [error] });

/** The pairs of a list; none for one that has a name which is none. */
function pairsOf(query: URLSearchParams): readonly Pair[] | undefined {
  const names = query.get('pair');
  if (names === null) return allPairs();
  const pairs = names.split(',').map(pairNamed);
  return pairs.every((one) => one !== undefined) ? (pairs as Pair[]) : undefined;
}

const byName = (pairs: readonly Pair[], record: (pair: Pair) => unknown): Answer =>
  ok(Object.fromEntries(pairs.map((pair) => [pair.name, record(pair)])));

/** A day's figures come twice: since midnight (UTC), and of the last 24 hours. */
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
  if (!name || !LENGTHS.includes(minutes) || !Number.isFinite(since))
    return refused('EGeneral:Invalid arguments');
  const pair = pairNamed(name);
  if (!pair) return refused('EQuery:Unknown asset pair');
  const { rows, last } = candleRows({ seed, pair }, minutes * MINUTE, since * SECOND, now);
  return ok({ [pair.name]: rows, last });
}

function answerKraken({ method, path, query }: UpstreamRequest, state: State): Answer {
  if (method !== 'GET') return refused('EGeneral:Invalid arguments');
  if (path === '/OHLC') return ohlc(query, state);
  const pairs = pairsOf(query);
  if (!pairs) return refused('EQuery:Unknown asset pair');
  if (path === '/Ticker') return byName(pairs, (pair) => ticker(pair, state));
  if (path === '/AssetPairs') return byName(pairs, assetPair);
  return refused('EGeneral:Unknown method');
}

/** The stand-in for Kraken's public REST API, at `/0/public`. */
export function createKraken({ clock, seed }: Setting): Upstream {
  return {
    prefix: '/0/public',
    answer: (request) => answerKraken(request, { seed, now: clock.now() }),
    rateLimited: () => refused('EGeneral:Too many requests'),
  };
}
