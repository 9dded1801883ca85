import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#core/clock';
import { readSendQueues } from '#server/connections/send-queues';
import { createCorsHeaders } from '#server/cross-origin';
import { type EventStream, eventBytes, newStreamFigures, type StreamFigures } from '#server/responses/event-stream';
import { createOpenStreams } from '#server/responses/open-streams';
import { STREAM_TIMES } from '#server/responses/stream-review';

/** Comments and reviews follow each other quickly, and a stalled reader is soon cut. */
const TIMES = { ...STREAM_TIMES, review: 5, comment: 10, measure: 20, stall: 2_000 };

let app: FastifyInstance;
let figures: StreamFigures;
let opened: EventStream[];
let clients: Socket[];

beforeEach(async () => {
  figures = newStreamFigures();
  [opened, clients] = [[], []];
  const streams = createOpenStreams({
    gate: {
      hold: () => ({ check: () => undefined, charge: async () => undefined }),
      takeReceipt: () => undefined,
      book: () => [],
    },
    corsHeaders: createCorsHeaders([]),
    clock: systemClock,
    basePath: '',
    figures,
    log: { failed: () => undefined },
    times: TIMES,
  });
  app = Fastify();
  app.decorateRequest('user', 1);
  app.addHook('preClose', streams.close);
  app.get('/', (request, reply) =>
    streams.respond(request, reply, 1, async () => (stream) => {
      opened.push(stream);
      return () => undefined;
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await app.close();
});

/** Opens a stream. The client reads nothing until `resume`. */
async function openStalled() {
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const before = opened.length;
  await expect.poll(() => opened.length).toBe(before + 1);
  return { client, stream: opened[before] as EventStream };
}

function textOf(client: Socket): () => string {
  let text = '';
  client.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  return () => text;
}

const event = (version: number, size: number) => eventBytes('price', `${version}:${'x'.repeat(size)}`);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a slow reader receives only the newest event of each subject', async () => {
  const { client, stream } = await openStalled();
  for (let version = 1; version <= 200; version++) {
    stream.put('bitcoin', event(version, 256 * 1024));
    stream.put('solana', event(1000 + version, 10));
    await turn();
  }
  expect(figures.conflated).toBeGreaterThan(100);
  const text = textOf(client);
  client.resume();
  await expect.poll(() => [...text().matchAll(/data: (\d+):/g)].map(([, version]) => Number(version))).toContain(200);
  const versions = [...text().matchAll(/data: (\d+):/g)].map(([, version]) => Number(version));
  expect(versions).toContain(1200);
  expect(versions.length + figures.conflated).toBe(400);
  expect(figures.events).toBe(versions.length);
});

it('the socket of a reader that accepts no data holds one event', async () => {
  const { stream } = await openStalled();
  const size = 256 * 1024;
  for (let subject = 0; subject < 100; subject++) stream.put(String(subject), event(subject, size));
  const held = () => stream.progress(new Map()).outstanding;
  await expect.poll(held).toBeGreaterThan(0);
  expect(held()).toBeLessThan(2 * size);
});

describe.runIf(process.platform === 'linux')('a reader that accepts no data', () => {
  it('is cut, although the kernel takes the comments', async () => {
    const { client, stream } = await openStalled();
    // Until the client's kernel takes no more. The service's kernel then queues the rest.
    for (let i = 0; stream.progress(await readSendQueues()).outstanding < 64 * 1024; i++) {
      stream.put('bitcoin', event(i, 16 * 1024));
      await turn();
    }
    const before = stream.progress(new Map()).taken;
    await expect.poll(() => stream.progress(new Map()).taken).toBeGreaterThan(before + 20);
    expect(figures.cut).toBe(0);
    await expect.poll(() => figures.cut, { timeout: 10_000 }).toBe(1);
    expect(figures.open).toBe(0);
    client.destroy();
  });

  it('is cut while the service holds its events', async () => {
    const { stream } = await openStalled();
    for (let i = 0; i < 100; i++) {
      stream.put('bitcoin', event(i, 256 * 1024));
      await turn();
    }
    expect(stream.progress(new Map()).outstanding).toBeGreaterThan(0);
    await expect.poll(() => figures.cut, { timeout: 10_000 }).toBe(1);
  });
});

it('a reader that accepts no data does not keep the service from closing', async () => {
  const { stream } = await openStalled();
  for (let i = 0; i < 100; i++) {
    stream.put('bitcoin', event(i, 256 * 1024));
    await turn();
  }
  await app.close();
  await expect.poll(() => figures).toMatchObject({ open: 0, cut: 0 });
});

it('a reader that receives only comments stays connected', async () => {
  const { client } = await openStalled();
  const text = textOf(client);
  client.resume();
  await expect.poll(() => text().split('\n\n:').length, { timeout: 10_000 }).toBeGreaterThan(80);
  expect(figures).toMatchObject({ open: 1, cut: 0 });
});

it('a cut or closed stream takes no more events', async () => {
  const { client, stream } = await openStalled();
  client.destroy();
  await expect.poll(() => stream.isEnded()).toBe(true);
  stream.put('bitcoin', event(1, 10));
  await turn();
  expect(figures.events).toBe(0);
});
