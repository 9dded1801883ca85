import { describe, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import type { CandleMinutes } from '#prices/model/candle';
import { openTestKraken } from '../../support/upstream/exchange-source.ts';
import { haveRecordings, recording, recordingNames } from '../../support/upstream/recordings.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

const KINDS = {
  candles: /^OHLC_/,
  tickers: /^Ticker_/,
  pairs: /^AssetPairs_/,
  errors: /^err_200_/,
  others: /^(SystemStatus|Time)_/,
};
const names = recordingNames('kraken');
const of = (kind: keyof typeof KINDS) => names.filter((name) => KINDS[kind].test(name));

type Result = Record<string, unknown>;
const received = (name: string): Result => JSON.parse(String(recording('kraken', name).body)).result;

/** Serves a recording for all requests except the list of pairs, which contains the requested pair. */
function served(name: string, pair: string) {
  const online = JSON.stringify({ error: [], result: { [pair]: { status: 'online' } } });
  const response = recording('kraken', name);
  upstream.follow(({ path }) => (path === '/AssetPairs' ? { body: online } : response));
  return openTestKraken(upstream.url, { pairs: { bitcoin: pair }, now: '2026-11-22T00:00:00Z' });
}

type Row = [time: number, ...figures: string[]];

/** The pair and its rows as recorded. */
function ohlc(name: string): { pair: string; rows: Row[]; last: number } {
  const { last, ...pairs } = received(name) as { last: number } & Record<string, Row[]>;
  const [[pair, rows]] = Object.entries(pairs) as [[string, Row[]]];
  return { pair, rows, last };
}

/** The length of a recording's candles, by its name. */
const minutesOf = (name: string) => Number(/^OHLC_[^_]+_(\d+)_/.exec(name)?.[1]) as CandleMinutes;

describe.runIf(haveRecordings)('recorded responses of Kraken', () => {
  test('every recording has a test', () => {
    const kinds = Object.values(KINDS);
    expect(names.filter((name) => kinds.filter((kind) => kind.test(name)).length !== 1)).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });

  test.each(of('candles'))('%s: every finished candle exactly once, and no other', async (name) => {
    const { pair, rows, last } = ohlc(name);
    const source = served(name, pair);
    const { candles, covers } = await source.candles('bitcoin', minutesOf(name));
    await source.close();
    // A candle whose prices are 0 is before the listing (Kraken's notation).
    const finished = rows.filter(([time, open]) => time <= last && Number(open) > 0);
    expect(candles.map(({ at }) => at)).toEqual(finished.map(([time]) => time * 1000));
    candles.forEach((candle, i) => {
      const [, open, high, low, close, , volume] = finished[i] as Row;
      const text = (figure: number, like: string | undefined) =>
        figure.toFixed(String(like).split('.')[1]?.length ?? 0);
      expect([
        text(candle.open, open),
        text(candle.high, high),
        text(candle.low, low),
        text(candle.close, close),
        text(candle.volume, volume),
      ]).toEqual([open, high, low, close, volume]);
    });
    const zeros = rows.filter(([, open]) => Number(open) === 0).length;
    expect(source.dropped.map(({ count }) => count)).toEqual(zeros > 0 ? [zeros] : []);
    expect(covers?.thru).toBe(last * 1000 + minutesOf(name) * 60_000 - 1);
  });

  test('a full response covers only its candles, and a shorter one all time that Kraken keeps', async () => {
    const full = ohlc('OHLC_XXBTZUSD_60_full_2020-12-05.json');
    const source = served('OHLC_XXBTZUSD_60_full_2020-12-05.json', full.pair);
    const first = (full.rows[0]?.[0] ?? 0) * 1000;
    expect((await source.candles('bitcoin', 60)).covers?.from).toBe(first);
    await source.close();
    const young = served('OHLC_XTZXBT_1440_full_2020-07-15.json', 'XTZXBT');
    const { covers } = await young.candles('bitcoin', 1440);
    expect(((covers?.thru ?? 0) + 1 - (covers?.from ?? 0)) / DAY).toBe(720);
    await young.close();
  });

  test('hourly samples are the closing prices at the ends of the candles', async () => {
    const { pair, rows } = ohlc('OHLC_XXBTZUSD_60_full_2020-12-05.json');
    const source = served('OHLC_XXBTZUSD_60_full_2020-12-05.json', pair);
    const samples = await source.samples('bitcoin', 'hour');
    await source.close();
    expect(samples).toHaveLength(719);
    expect(samples[0]).toEqual({
      at: Date.parse('2020-11-05T19:00:00Z'),
      price: 14954.7,
      marketCap: null,
      volume: null,
    });
    expect(samples.map(({ at }) => at)).toEqual(rows.slice(1).map(([time]) => time * 1000));
  });

  test.each(of('tickers'))('%s: the last trade of each pair', async (name) => {
    const result = received(name) as Record<string, { c: [string, string] }>;
    for (const pair of Object.keys(result).slice(0, 20)) {
      const source = served(name, pair);
      expect(await source.quotes(['bitcoin'])).toEqual([
        {
          token: 'bitcoin',
          price: Number(result[pair]?.c[0]),
          at: Date.parse('2026-11-22T00:00:00Z'),
        },
      ]);
      await source.close();
    }
  });

  test.each(of('pairs'))('%s: online pairs are traded, and all others are omitted', async (name) => {
    const statuses = received(name) as Record<string, { status?: string }>;
    const response = recording('kraken', name);
    upstream.follow(({ path, query }) =>
      path === '/AssetPairs'
        ? response
        : {
            body: JSON.stringify({ error: [], result: { [String(query.pair)]: { c: ['1.5', '1'] } } }),
          },
    );
    for (const [pair, { status = 'online' }] of Object.entries(statuses)) {
      const source = openTestKraken(upstream.url, { pairs: { bitcoin: pair, arweave: 'NOSUCHUSD' } });
      const quotes = source.quotes(['bitcoin', 'arweave']);
      if (status === 'online') expect(await quotes).toMatchObject([{ token: 'bitcoin', price: 1.5 }]);
      else await expect(quotes).rejects.toMatchObject({ reason: 'not_listed' });
      const left = [
        ...(status === 'online' ? [] : [{ token: 'bitcoin', pair, status }]),
        { token: 'arweave', pair: 'NOSUCHUSD', status: 'gone' },
      ];
      expect(source.untraded).toEqual(left);
      await source.close();
    }
  });

  const REASONS: Record<string, string> = {
    'err_200_invalid_arguments.json': 'refused',
    'err_200_too_many_requests.json': 'rate_limited',
    'err_200_unknown_asset_pair.json': 'not_listed',
  };

  test.each(of('errors'))('%s has the right cause, and is not retried', async (name) => {
    const source = served(name, 'XXBTZUSD');
    const reason = REASONS[name];
    expect(reason).toBeDefined();
    await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ upstream: 'kraken', reason });
    expect(source.outcomes).toEqual(['ok', reason]);
    await source.close();
  });

  test.each(of('others'))('%s is rejected as a candle and as a price', async (name) => {
    const source = served(name, 'XXBTZUSD');
    await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ reason: 'unexpected' });
    await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'empty' });
    await source.close();
  });
});
