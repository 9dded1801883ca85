import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '#core/clock';
import { createPeers } from '#requests/peers';
import { createRequestLog } from '#requests/request-log';
import { requestLogRecord } from '#requests/requests-records';
import { amount } from '../support/long.ts';

const REQUEST = { at: 1, keyId: 1, method: 'GET', path: '/', status: 200, code: 'not_found', cost: 0, ms: 1 };
const USER = 7;
const NO_LOG = { recordingSince: null, requests: [], isComplete: false };
const bodyOf = (requests: unknown, recordingSince: number | null = null) =>
  JSON.stringify({ recordingSince, requests });

/** Asks another process, which responds as `listener` does. */
async function askedOf(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = {
    others: async () => [{ id: '0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11', address: `http://127.0.0.1:${port}` }],
  };
  const peers = createPeers({ store, processId: () => 'own', secret: 'a secret', clock: systemClock });
  try {
    const [log] = await peers.ask(USER);
    return log;
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
    response.end(bodyOf([REQUEST], 5));
  });
  expect(found).toEqual({ recordingSince: 5, requests: [REQUEST], isComplete: true });
  expect(asked).toEqual([`/internal/requests/${USER}`, expect.stringMatching(/^Process \d{13}\.[\w-]{43}$/)]);
});

it.each([
  ['no JSON', '<html>'],
  ['no list', JSON.stringify([REQUEST])],
  ['no start of the recording', JSON.stringify({ requests: [REQUEST] })],
  ['a start after the year 9999', bodyOf([REQUEST], Date.UTC(10_000, 0))],
  ['more than 512 KB', bodyOf(Array.from({ length: 8_000 }, () => REQUEST))],
])('ignores a process that responds with %s', async (_name, body) => {
  expect(await askedOf((_, response) => response.end(body))).toEqual(NO_LOG);
});

it.each([
  ['a time after the year 9999', { ...REQUEST, at: Date.UTC(10_000, 0) }],
  ['a time before the year 1', { ...REQUEST, at: -1e15 }],
  ['a time without a date', { ...REQUEST, at: 9e15 }],
  ['a time that is not an integer', { ...REQUEST, at: 1.5 }],
  ['no ID of a key', { ...REQUEST, keyId: 0 }],
  ['a part of a call', { ...REQUEST, cost: 0.5 }],
  ['a negative cost', { ...REQUEST, cost: -1 }],
  ['a negative duration', { ...REQUEST, ms: -1 }],
  ['an unknown code', { ...REQUEST, code: 'unheard_of' }],
  ['nothing', null],
])('drops a record with %s, and keeps the others', async (_name, record) => {
  const body = bodyOf([REQUEST, record, { ...REQUEST, at: 2 }]);
  const requests = [REQUEST, { ...REQUEST, at: 2 }];
  expect(await askedOf((_, response) => response.end(body))).toEqual({
    recordingSince: null,
    requests,
    isComplete: false,
  });
});

it('returns only records that satisfy the schema of the response', async () => {
  const number = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constantFrom(-6.3e13, 2.5e14, 253402300799999, 253402300800000),
  );
  const some = fc.record({
    ...{ at: number, keyId: number, method: fc.string(), path: fc.string(), status: number },
    ...{ code: fc.constantFrom(undefined, 'not_found', 'x'), cost: number, ms: number },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(some), async (records) => {
      const others = await askedOf((_, response) => response.end(bodyOf(records)));
      const log = createRequestLog({
        recent: { read: () => ({ recordingSince: null, requests: [] }) },
        peers: { ask: async () => (others ? [others] : []), isAsked: () => false },
        keyNames: async () => [],
        basePath: '',
      });
      requestLogRecord.parse(await log.of(USER));
    }),
    { numRuns: amount(30, 500) },
  );
});

it('follows no redirect, and ignores an error', async () => {
  const paths: (string | undefined)[] = [];
  const redirecting: RequestListener = ({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { location: '/elsewhere' }).end(bodyOf([REQUEST]));
  };
  expect(await askedOf(redirecting)).toEqual(NO_LOG);
  expect(paths).toEqual([`/internal/requests/${USER}`]);
  const failing: RequestListener = (_, response) => response.writeHead(500).end(bodyOf([REQUEST]));
  expect(await askedOf(failing)).toEqual(NO_LOG);
});

it.each([
  ['null if a process did not record', [5, null, 7], null],
  ['the latest of all processes', [5, 9, 7], '1970-01-01T00:00:00.009Z'],
])('the start of the recording is %s', async (_name, [own = null, ...others], start) => {
  const log = createRequestLog({
    recent: { read: () => ({ recordingSince: own, requests: [] }) },
    peers: {
      ask: async () => others.map((recordingSince) => ({ recordingSince, requests: [], isComplete: true })),
      isAsked: () => false,
    },
    keyNames: async () => [],
    basePath: '',
  });
  expect((await log.of(USER)).recordingSince).toBe(start);
});
