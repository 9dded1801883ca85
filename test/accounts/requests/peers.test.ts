import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createPeers } from '#accounts/requests/peers';
import { systemClock } from '#core/clock';

const REQUEST = { at: 1, keyId: 1, method: 'GET', path: '/', status: 200, code: 'not_found', cost: 0, ms: 1 };
const USER = 7;

/** Asks another process, which responds as `listener` does. */
async function askedOf(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = {
    announce: () => expect.fail('nothing is announced'),
    others: async () => [{ id: '0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11', address: `http://127.0.0.1:${port}` }],
    leave: () => expect.fail('nothing was announced'),
  };
  const failures = { failed: () => expect.fail('nothing failed') };
  const peers = createPeers({ store, secret: 'a secret', clock: systemClock, failures });
  try {
    return await peers.ask(USER);
  } finally {
    await peers.close();
    server.closeAllConnections();
    server.close();
  }
}

it('returns the requests of another process, which it asks with a token', async () => {
  let asked: (string | undefined)[] = [];
  const found = await askedOf(({ url, headers }, response) => {
    asked = [url, headers.authorization];
    response.end(JSON.stringify([REQUEST]));
  });
  expect(found).toEqual([[REQUEST]]);
  expect(asked).toEqual([`/internal/requests/${USER}`, expect.stringMatching(/^Process \d{13}\.[\w-]{43}$/)]);
});

it.each([
  ['no JSON', '<html>'],
  ['a time without a date', JSON.stringify([{ ...REQUEST, at: 9e15 }])],
  ['a time that is not an integer', JSON.stringify([{ ...REQUEST, at: 1.5 }])],
  ['no ID of a key', JSON.stringify([{ ...REQUEST, keyId: 0 }])],
  ['a part of a call', JSON.stringify([{ ...REQUEST, cost: 0.5 }])],
  ['a negative cost', JSON.stringify([{ ...REQUEST, cost: -1 }])],
  ['a negative duration', JSON.stringify([{ ...REQUEST, ms: -1 }])],
  ['an unknown code', JSON.stringify([{ ...REQUEST, code: 'unheard_of' }])],
  ['more than 256 KB', JSON.stringify(Array.from({ length: 4_000 }, () => REQUEST))],
])('ignores a process that responds with %s', async (_name, body) => {
  expect(await askedOf((_, response) => response.end(body))).toEqual([undefined]);
});

it('follows no redirect, and ignores an error', async () => {
  const paths: (string | undefined)[] = [];
  const redirecting: RequestListener = ({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { location: '/elsewhere' }).end(JSON.stringify([REQUEST]));
  };
  expect(await askedOf(redirecting)).toEqual([undefined]);
  expect(paths).toEqual([`/internal/requests/${USER}`]);
  const failing: RequestListener = (_, response) => response.writeHead(500).end(JSON.stringify([REQUEST]));
  expect(await askedOf(failing)).toEqual([undefined]);
});
