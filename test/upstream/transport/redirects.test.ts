import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#core/clock';
import { redirectTarget } from '#upstream/transport/redirects';
import { textOf } from '#upstream/transport/response-body';
import { openUpstream } from '#upstream/transport/upstream';
import { startUpstreamServer } from '../../support/upstream/upstream-server.ts';

type Hop = { status: number; location?: string };

/** An upstream that redirects each path as given, and responds to all other paths. */
async function upstreamWith(hops: Record<string, Hop>, calls = Number.POSITIVE_INFINITY) {
  let left = calls;
  const server = await startUpstreamServer(({ path, method, body }) => {
    const { status, location } = hops[path] ?? {};
    if (status === undefined) return { body: JSON.stringify({ path, method, body }) };
    return { status, body: 'moved', ...(location !== undefined && { headers: { location } }) };
  });
  const upstream = openUpstream({
    name: 'coingecko',
    url: server.url,
    headers: { 'x-cg-pro-api-key': 'secret' },
    timeoutMs: 5_000,
    clock: systemClock,
    reserve: async () => left-- > 0,
    callSpacing: () => 0,
    observe: () => undefined,
  });
  onTestFinished(async () => {
    await upstream.close();
    await server.close();
  });
  const read = (request: { path: string; body?: unknown }) =>
    upstream.send(
      request,
      (response) => JSON.parse(textOf(response)) as { path: string; method: string; body: string },
    );
  return { server, read };
}

describe('a redirect of an upstream', () => {
  test.each([301, 302, 303, 307, 308])('on its host is followed: %i', async (status) => {
    const { server, read } = await upstreamWith({ '/old': { status, location: '/new?x=1' } });
    expect(await read({ path: '/old' })).toMatchObject({ path: '/new', method: 'GET' });
    expect(server.calls.map(({ headers }) => headers['x-cg-pro-api-key'])).toEqual(['secret', 'secret']);
  });

  test.each([307, 308])('of a POST is followed with its body: %i', async (status) => {
    const { read } = await upstreamWith({ '/old': { status, location: '/new' } });
    expect(await read({ path: '/old', body: { id: 1 } })).toEqual({ path: '/new', method: 'POST', body: '{"id":1}' });
  });

  test.each([301, 302, 303])('of a POST that would become a GET is a failure: %i', async (status) => {
    const { server, read } = await upstreamWith({ '/old': { status, location: '/new' } });
    await expect(read({ path: '/old', body: {} })).rejects.toMatchObject({ reason: 'refused', sent: false });
    expect(server.calls).toHaveLength(1);
  });

  test('is followed once', async () => {
    const { server, read } = await upstreamWith({
      '/a': { status: 308, location: '/b' },
      '/b': { status: 308, location: '/a' },
    });
    await expect(read({ path: '/a' })).rejects.toMatchObject({ reason: 'refused' });
    expect(server.calls.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  test('to another host is a failure that names the host, and sends it nothing', async () => {
    const other = await startUpstreamServer(() => ({ body: '{}' }));
    onTestFinished(other.close);
    const location = `${other.url}/path?key=secret`;
    const { read } = await upstreamWith({ '/old': { status: 308, location } });
    const failure = await read({ path: '/old' }).catch((error) => error);
    expect(failure).toMatchObject({ reason: 'refused' });
    expect(failure.message).toContain(new URL(other.url).host);
    expect(failure.message).not.toMatch(/secret|path/);
    expect(other.calls).toEqual([]);
  });

  test.each([undefined, '', 'http://[', 'javascript:alert(1)'])(
    'without a usable target is a failure: %s',
    async (to) => {
      const { read } = await upstreamWith({ '/old': { status: 302, ...(to !== undefined && { location: to }) } });
      await expect(read({ path: '/old' })).rejects.toMatchObject({ reason: 'refused' });
    },
  );

  test('counts toward the budget', async () => {
    const { server, read } = await upstreamWith({ '/old': { status: 308, location: '/new' } }, 1);
    await expect(read({ path: '/old' })).rejects.toMatchObject({ reason: 'over_budget' });
    expect(server.calls).toHaveLength(1);
  });
});

describe('the host of a redirect', () => {
  const follow = (from: string, location: string) => () =>
    redirectTarget('node-1', { status: 308, location, from, isPost: false, isSecond: false });
  test.each([
    ['http://node.example/a', 'https://node.example/a'],
    ['https://node.example/a', 'https://node.example:443/b'],
    ['https://node.example/a/', '../b'],
  ])('is the same for %s and %s', (from, to) => {
    expect(follow(from, to)).not.toThrow();
  });
  test.each([
    ['https://node.example/a', 'http://node.example/a'],
    ['https://node.example/a', 'https://node.example:8443/a'],
    ['http://node.example:1317/a', 'https://node.example/a'],
    ['https://node.example/a', '//other.example/a'],
    ['https://node.example/a', 'https://user:password@node.example/a'],
  ])('is another for %s and %s', (from, to) => {
    expect(follow(from, to)).toThrow(/redirect to/);
  });
});
