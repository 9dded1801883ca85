import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, iso } from '#core/clock';
import { openTestSource } from '../../support/upstream/source.ts';
import { type Script, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const NOW = Date.parse('2026-05-15T14:10:06Z');

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

type Source = ReturnType<typeof openTestSource>;

async function requested<T>(script: Script, ask: (source: Source) => Promise<T>, timeoutMs?: number) {
  upstream.follow(script);
  const source = openTestSource(upstream.url, { ...(timeoutMs && { timeoutMs }) });
  try {
    return { received: await ask(source), dropped: source.dropped, outcomes: source.outcomes };
  } finally {
    await source.close();
  }
}

const MB = 1024 * 1024;
const list = (bytes: number) => `[${'{},'.repeat(bytes / 3)}{}]`;
const chart = (prices: unknown[], more: object = {}) =>
  JSON.stringify({ prices, market_caps: [], total_volumes: [], ...more });
const latest = (source: Source) => source.quotes(['bitcoin', 'ethereum']);
const lastDay = (source: Source) => source.recent('bitcoin', 1);

describe('larger than any requested response', () => {
  test.each<[string, Script]>([
    ['8 MB of empty objects', () => ({ body: list(8 * MB) })],
    ['in chunks', (_call, response) => void response.writeHead(200).end(list(8 * MB))],
    ['in its header', () => ({ headers: { 'x-long': 'x'.repeat(256 * 1024) }, body: '[]' })],
    [
      'by its Content-Length',
      (_call, response) => void response.writeHead(200, { 'content-length': 64 * MB }).write('['),
    ],
    ['with a million values in a few bytes', () => ({ body: chart(JSON.parse(list(MB / 2))) })],
  ])('a response %s is a failure of the source', async (_name, script) => {
    await expect(requested(script, latest)).rejects.toMatchObject({ reason: 'too_large' });
    await expect(requested(script, lastDay)).rejects.toMatchObject({ reason: 'too_large' });
    const sound = chart([[NOW, 1]]);
    expect((await requested(() => ({ body: sound }), lastDay)).received).toHaveLength(1);
  });

  test('compressed responses are not decompressed', async () => {
    const body = gzipSync(Buffer.alloc(32 * MB, ' '));
    const packed: Script = () => ({ headers: { 'content-encoding': 'gzip' }, body });
    await expect(requested(packed, lastDay)).rejects.toMatchObject({ reason: 'not_json' });
  });

  test('slow responses are read until the deadline', async () => {
    let drip: NodeJS.Timeout | undefined;
    const dripping: Script = (_call, response) => {
      response.writeHead(200).write('[');
      drip = setInterval(() => response.write(' '), 10);
      return undefined;
    };
    await expect(requested(dripping, lastDay, 200)).rejects.toMatchObject({ reason: 'timeout' });
    clearInterval(drip);
  });

  test('the size limit grows with the requested days and tokens', async () => {
    const padded = (bytes: number) => chart([[NOW, 1]], { padding: 'x'.repeat(bytes) });
    await expect(requested(() => ({ body: padded(MB) }), lastDay)).rejects.toMatchObject({ reason: 'too_large' });
    const years = await requested(
      () => ({ body: padded(MB) }),
      (source) => source.daily('bitcoin', 'max'),
    );
    expect(years.received).toHaveLength(1);
    const coins = (count: number) => JSON.stringify(Array(count).fill({ id: 'x', padding: 'x'.repeat(1000) }));
    await expect(requested(() => ({ body: coins(100) }), latest)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('the size of a list is checked before its elements, and the first fault ends the check', async () => {
    const points = Array(5000).fill([NOW, 1]);
    await expect(requested(() => ({ body: chart(points) }), lastDay)).rejects.toThrow(/prices: Too big/);
    const wrong = chart([[NOW, 1], {}, {}, {}]);
    await expect(requested(() => ({ body: wrong }), lastDay)).rejects.toThrow(
      'coingecko: prices.1: is not a time with a figure',
    );
  });
});

describe('implausible samples', () => {
  test('are dropped from a chart and reported, and plausible samples are kept', async () => {
    const prices = [
      [0, 5],
      [NOW - 2, 0],
      [NOW - 1, null],
      [NOW, 100],
      [NOW + 1, -3],
      [NOW + 3 * DAY, 100],
      [Date.parse('9999-12-31T00:00:00Z'), 100],
    ];
    const more = {
      market_caps: [
        [NOW - 1, 0],
        [NOW, -1],
      ],
      total_volumes: [[NOW, 7]],
    };
    const body = chart(prices, more).replace(',-3]', ',1e999]');
    const { received, dropped, outcomes } = await requested(() => ({ body }), lastDay);
    expect(received).toEqual([
      { at: NOW - 1, price: null, marketCap: 0, volume: null },
      { at: NOW, price: 100, marketCap: null, volume: 7 },
    ]);
    expect(dropped).toEqual([
      { path: '/coins/bitcoin/market_chart', count: 5, reasons: ['too_early', 'price', 'too_late'] },
    ]);
    expect(outcomes).toEqual(['ok']);
  });

  test('are omitted from the latest prices', async () => {
    const market = (id: string, at: number, price: number) => ({
      id,
      current_price: price,
      market_cap: -1,
      total_volume: 0,
      last_updated: iso(at),
    });
    const body = JSON.stringify([market('bitcoin', NOW, 100), market('ethereum', NOW + 3 * DAY, 100)]);
    const { received, dropped } = await requested(() => ({ body }), latest);
    expect(received).toMatchObject([{ token: 'bitcoin', at: NOW, record: { market_cap: null, total_volume: 0 } }]);
    expect(dropped).toEqual([{ path: '/coins/markets', count: 1, reasons: ['too_late'] }]);
    const infinite = body.replace('"current_price":100', '"current_price":1e999');
    await expect(requested(() => ({ body: infinite }), latest)).rejects.toMatchObject({ reason: 'unexpected' });
  });

  test('are a failure of the source if there are no others', async () => {
    const body = chart([[NOW + DAY, 5]]);
    await expect(requested(() => ({ body }), lastDay)).rejects.toMatchObject({ reason: 'unexpected' });
  });
});
