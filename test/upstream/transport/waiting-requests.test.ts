import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#core/clock';
import { textOf } from '#upstream/transport/response-body';
import { openUpstream, type UpstreamRequest } from '#upstream/transport/upstream';
import { startUpstreamServer } from '../../support/upstream/upstream-server.ts';

/** An upstream with one connection, which a first request holds until the upstream responds to it. */
async function occupied() {
  const held: ServerResponse[] = [];
  const server = await startUpstreamServer(({ path }, response) => {
    if (path !== '/first') return { body: '{}' };
    held.push(response);
    return undefined;
  });
  const upstream = openUpstream({
    name: 'node',
    url: server.url,
    timeoutMs: 30_000,
    clock: systemClock,
    reserve: async () => true,
    callSpacing: () => 0,
    observe: () => undefined,
    connections: 1,
  });
  onTestFinished(async () => {
    await upstream.close();
    await server.close();
  });
  const ask = (request: UpstreamRequest) => upstream.sendOnce(request, textOf);
  const first = ask({ path: '/first' });
  await expect.poll(() => held.length).toBe(1);
  return { server, ask, first, release: () => held[0]?.end('{}') };
}

test('a request that waits for a connection ends at its own deadline, and is never sent', async () => {
  const { server, ask, first, release } = await occupied();
  await expect(ask({ path: '/second', withinMs: 50 })).rejects.toMatchObject({ reason: 'timeout' });
  release();
  expect(await first).toBe('{}');
  expect(await ask({ path: '/third' })).toBe('{}');
  expect(server.calls.map(({ path }) => path)).toEqual(['/first', '/third']);
});

test('a request that waits for a connection ends with its signal, and is never sent', async () => {
  const { server, ask, first, release } = await occupied();
  const caller = new AbortController();
  const second = ask({ path: '/second', signal: caller.signal });
  caller.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  release();
  expect(await first).toBe('{}');
  expect(await ask({ path: '/third' })).toBe('{}');
  expect(server.calls.map(({ path }) => path)).toEqual(['/first', '/third']);
});
