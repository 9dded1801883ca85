import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPendingResponses } from '#server/connections/server';
import { watchConnections } from '#server/connections/watch-connections';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A connection to a server that cuts idle connections after `idleMs`. Responses to `/held` are held. */
async function open(idleMs: number) {
  const pending = createPendingResponses();
  const held: ServerResponse[] = [];
  const server = createServer({ keepAliveTimeout: 1 }, (request, response) => {
    if (request.url === '/held') held.push(response);
    else response.end();
    pending.track(request, response);
  });
  watchConnections(server, { isIdle: pending.isIdle, idleMs });
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await accepted;
  let text = '';
  client.on('data', (data) => (text += data));
  return {
    held,
    client,
    responses: () => text.split('HTTP/1.1 200').length - 1,
    request: (path: string) => client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
    closed: once(client, 'close'),
  };
}

test('an idle connection is cut, with or without a request before', async () => {
  const unused = await open(1);
  await unused.closed;
  const used = await open(1);
  used.request('/');
  await used.closed;
  expect([unused.responses(), used.responses()]).toEqual([0, 1]);
});

test('a connection whose response is pending is cut only after its response', async () => {
  const { request, held, responses, closed, client } = await open(1);
  const other = await open(1);
  request('/held');
  await expect.poll(() => held.length).toBe(1);
  // Other connections are checked, and cut, in the meantime.
  await other.closed;
  await (await open(1)).closed;
  expect(client.destroyed).toBe(false);
  held[0]?.end();
  await closed;
  expect(responses()).toBe(1);
});

test("Node's own timeout does not apply", async () => {
  const { request, responses, client } = await open(60_000);
  request('/');
  await expect.poll(responses).toBe(1);
  // Each of these connections is cut at a later check, long after `keepAliveTimeout`.
  for (let checks = 0; checks < 8; checks++) await (await open(1)).closed;
  request('/');
  await expect.poll(responses).toBe(2);
  expect(client.destroyed).toBe(false);
});
