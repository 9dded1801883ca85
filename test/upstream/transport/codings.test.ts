import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#core/clock';
import { textOf } from '#upstream/transport/response-body';
import { openUpstream } from '#upstream/transport/upstream';
import { type FakeResponse, type Script, startUpstreamServer } from '../../support/upstream/upstream-server.ts';

const MB = 1024 * 1024;
const ENCODERS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  identity: (body: Buffer) => body,
} as const;
type Coding = keyof typeof ENCODERS;
const CODINGS = Object.keys(ENCODERS) as Coding[];

const encoded = (text: string, codings: readonly Coding[]): FakeResponse => ({
  headers: { 'content-encoding': codings.join(', ') },
  body: codings.reduce<Buffer>((body, coding) => ENCODERS[coding](body), Buffer.from(text)),
});

async function upstreamOver(script: Script) {
  const server = await startUpstreamServer(script);
  const upstream = openUpstream({
    name: 'coingecko',
    url: server.url,
    timeoutMs: 5_000,
    clock: systemClock,
    reserve: async () => true,
    callSpacing: () => 0,
    observe: () => undefined,
  });
  onTestFinished(async () => {
    await upstream.close();
    await server.close();
  });
  const read = (maxBytes = MB) => upstream.sendOnce({ path: '/', maxBytes }, textOf);
  return { server, read };
}

describe('the body of an upstream', () => {
  test('is requested in the codings that the service prefers', async () => {
    const { server, read } = await upstreamOver(() => ({ body: '{}' }));
    await read();
    expect(server.calls[0]?.headers['accept-encoding']).toBe('gzip, br');
  });

  test('is decoded from any list of codings, whatever was requested', async () => {
    let response: FakeResponse = { body: '' };
    const { read } = await upstreamOver(() => response);
    const codings = fc.array(fc.constantFrom(...CODINGS), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 5_000 }), codings, async (text, applied) => {
        response = encoded(text, applied);
        const plain = new TextDecoder().decode(Buffer.from(text));
        expect(await read()).toBe(plain);
      }),
      { numRuns: 60 },
    );
  });

  test('is decoded in chunks of any size', async () => {
    const text = JSON.stringify(Array.from({ length: 2_000 }, (_, i) => [i, Math.sqrt(i)]));
    const body = gzipSync(text);
    const { read } = await upstreamOver((_call, response) => {
      response.writeHead(200, { 'content-encoding': 'GZIP' });
      for (let start = 0; start < body.length; start += 997) response.write(body.subarray(start, start + 997));
      response.end();
      return undefined;
    });
    expect(await read()).toBe(text);
  });

  test('is decoded from deflate without a zlib header', async () => {
    const { read } = await upstreamOver(() => ({
      headers: { 'content-encoding': 'deflate' },
      body: deflateRawSync('{"a":1}'),
    }));
    expect(await read()).toBe('{"a":1}');
  });

  test.each(CODINGS)('is empty if no byte arrives: %s', async (coding) => {
    const { read } = await upstreamOver(() => ({ headers: { 'content-encoding': coding }, body: '' }));
    expect(await read()).toBe('');
  });

  const zeros = Buffer.alloc(64 * MB);
  test.each<[string, string, Buffer]>([
    ['gzip', 'gzip', gzipSync(zeros)],
    ['br', 'br', brotliCompressSync(zeros)],
    ['gzip within gzip', 'gzip, gzip', gzipSync(gzipSync(zeros))],
    ['many empty members of gzip', 'gzip, gzip', gzipSync(Buffer.concat(Array(200_000).fill(gzipSync(''))))],
  ])('is bounded in its decoded size: %s', async (_what, coding, body) => {
    const { read } = await upstreamOver(() => ({ headers: { 'content-encoding': coding }, body }));
    await expect(read()).rejects.toMatchObject({ reason: 'too_large' });
  });

  test.each<[string, Record<string, string>, Buffer, string]>([
    ['in an unknown coding', { 'content-encoding': 'zstd' }, Buffer.from('{}'), 'unexpected'],
    ['in four codings', { 'content-encoding': 'gzip, gzip, gzip, gzip' }, Buffer.from('{}'), 'unexpected'],
    ['that is not in the named coding', { 'content-encoding': 'gzip' }, Buffer.from('{}'), 'unreachable'],
    ['that ends early', { 'content-encoding': 'br' }, brotliCompressSync('{"a":1}').subarray(0, 5), 'unreachable'],
  ])('is a failure %s', async (_what, headers, body, reason) => {
    const { read } = await upstreamOver(() => ({ headers, body }));
    await expect(read()).rejects.toMatchObject({ reason });
  });
});
