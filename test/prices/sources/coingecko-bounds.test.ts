import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { requestFrom, type TestSource } from '../../support/upstream/source.ts';
import type { Script } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const NOW = Date.parse('2026-05-15T14:10:06Z');

const upstream = useUpstreamServer();

const requested = <T>(script: Script, send: (source: TestSource) => Promise<T>) => requestFrom(upstream, script, send);

const MB = 1024 * 1024;
const list = (bytes: number) => `[${'{},'.repeat(bytes / 3)}{}]`;
const chart = (prices: unknown[], more: object = {}) =>
  JSON.stringify({ prices, market_caps: [], total_volumes: [], ...more });
const latest = (source: TestSource) => source.quotes(['bitcoin', 'ethereum']);
const lastDay = (source: TestSource) => source.recent('bitcoin', 1);

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
    expect(await requested(() => ({ body: sound }), lastDay)).toHaveLength(1);
  });

  // Searching each of these quotes for an end takes hours.
  test.each([
    ['escaped text', `[NaN,${String.raw`\"`.repeat(400_000)}`],
    ['a string that ends within an escape', `["${String.raw`\"`.repeat(400_000)}\\`],
  ])('JSON with many escaped quotes, sent as %s, is read once', async (_what, body) => {
    await expect(
      requested(
        () => ({ body }),
        (source) => source.coins(),
      ),
    ).rejects.toMatchObject({ reason: 'not_json' });
  });

  test('compressed responses are decompressed up to the limit', async () => {
    const body = gzipSync(Buffer.alloc(32 * MB, ' '));
    const packed: Script = () => ({ headers: { 'content-encoding': 'gzip' }, body });
    await expect(requested(packed, lastDay)).rejects.toMatchObject({ reason: 'too_large' });
    const sound: Script = () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(chart([[NOW, 1]])) });
    expect(await requested(sound, lastDay)).toHaveLength(1);
  });

  test('the size limit grows with the requested days and tokens', async () => {
    const padded = (bytes: number) => chart([[NOW, 1]], { padding: 'x'.repeat(bytes) });
    await expect(requested(() => ({ body: padded(MB) }), lastDay)).rejects.toMatchObject({ reason: 'too_large' });
    const years = await requested(
      () => ({ body: padded(MB) }),
      (source) => source.daily('bitcoin', 'max'),
    );
    expect(years).toHaveLength(1);
    const coins = (count: number) => JSON.stringify(Array(count).fill({ id: 'x', padding: 'x'.repeat(1000) }));
    await expect(requested(() => ({ body: coins(100) }), latest)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('the size of a list is checked before its elements', async () => {
    const points = Array(5000).fill([NOW, 1]);
    await expect(requested(() => ({ body: chart(points) }), lastDay)).rejects.toThrow(/prices: Too big/);
  });
});
