import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '#app';
import { createTestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { withoutFastPath } from '../../support/service/without-fast-path.ts';

/** The same service with and without its fast path. Every request is sent to both, byte by byte. */
const clock = createTestClock('2026-05-15T14:10:06Z');
const BASE = '/market';
let service: Service;
/** Ports of the same app with and without the fast path. */
type Ports = { fastPath: number; framework: number };
let ports: Ports;
let key: string;
const apps: Awaited<ReturnType<typeof buildApp>>[] = [];

/** Two apps, with and without the fast path, that allow these origins. */
async function openBoth(corsOrigins: string[]): Promise<Ports> {
  const parts = { ...service.parts, settings: { ...service.parts.settings, corsOrigins } };
  const listen = async (dependencies: typeof parts) => {
    const app = await buildApp(dependencies);
    apps.push(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    return (app.server.address() as AddressInfo).port;
  };
  return { fastPath: await listen(parts), framework: await listen(withoutFastPath(parts)) };
}

beforeAll(async () => {
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: { COINGECKO_PLAN: 'demo', BURST_PER_SECOND: '0', BASE_PATH: BASE, TRUST_PROXY: '1' },
  });
  ports = await openBoth([]);
  key = await service.createUser();
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await service?.close();
});

const PATH = `${BASE}/v1/prices/latest/token?tokenName=bitcoin`;
const LONG = `${BASE}/v1/prices/history/days?tokenName=bitcoin&days=30`;

/** Returns everything that arrives until the server closes the connection, which the last request must ask for. */
async function bytes(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(sent.replaceAll('\n', '\r\n').replaceAll('KEY', key));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** Removes the parts that differ between calls. The length of a problem depends on its request ID. */
const plain = (response: string) =>
  response
    .replace(/^content-length: .*\r\n(?=(?:.+\r\n)*\r\n\{"type":)/gim, '')
    .replace(/^(date|ratelimit|x-request-id): .*\r\n/gim, '')
    .replace(/"requestId":"[^"]*"/g, '')
    .split('\r\n')
    .map((line) => line.replace(/^[A-Za-z-]+:/, (name) => name.toLowerCase()))
    .join('\n');

const END = 'GET / HTTP/1.1\nHost: x\nConnection: close\n\n';
const respond = (head: string, path = PATH) => `GET ${path} HTTP/1.1\nHost: x\n${head}\n`;
const K = 'x-api-key: KEY\n';

const REQUESTS: Record<string, string> = {
  plain: respond(K) + END,
  'three in a row': respond(K) + respond(K) + respond(K, LONG) + respond(K) + END,
  close: respond(`${K}Connection: close\n`),
  'http/1.0': `GET ${PATH} HTTP/1.0\n${K}\n`,
  'http/1.0 keep': `GET ${PATH} HTTP/1.0\nConnection: keep-alive\n${K}\n${END}`,
  'no host': `GET ${PATH} HTTP/1.1\n${K}\n`,
  'two hosts': `GET ${PATH} HTTP/1.1\nHost: a\nHost: b\n${K}Connection: close\n\n`,
  expect: respond(`${K}Expect: 100-continue\n`) + END,
  'an unknown expectation': respond(`${K}Expect: 200-ok\n`) + END,
  'two keys': respond(K + K) + END,
  'two different keys': respond(`${K}x-api-key: other\n`) + END,
  'empty key': respond('x-api-key:\n') + END,
  bearer: respond('Authorization: bearer KEY\n') + END,
  'bearer twice': respond('Authorization: Bearer KEY\nAuthorization: Bearer KEY\n') + END,
  'two bearers': respond('Authorization: Bearer KEY\nAuthorization: Bearer other\n') + END,
  'key and bearer': respond(`${K}Authorization: Bearer KEY\n`) + END,
  'key and another': respond(`${K}Authorization: Bearer qt_other\n`) + END,
  'a key and a proxy’s': respond(`${K}Authorization: Basic dXNlcjpwYXNz\n`) + END,
  'unknown scheme': respond('Authorization: Digest KEY\n') + END,
  'no key': respond('') + END,
  'absolute form': `GET http://x${PATH} HTTP/1.1\nHost: x\n${K}\n${END}`,
  'odd case': respond('X-aPi-KeY: KEY\nACCEPT-encoding: GZIP\n', LONG) + END,
  'trailing whitespace': respond('x-api-key:   KEY \t \n') + END,
  'inner whitespace': respond('x-api-key: KE Y\n') + END,
  'empty accept': respond(`${K}Accept:\n`) + END,
  'two accepts': respond(`${K}Accept: text/csv\nAccept: application/json\n`, LONG) + END,
  csv: respond(`${K}Accept: text/csv\n`, LONG) + END,
  image: respond(`${K}Accept: image/png\n`, LONG) + END,
  'a range and a date':
    respond(K, `${BASE}/v1/prices/history/date/range?tokenName=solana&fromDate=2026-04-01&thruDate=2026-04-30`) +
    respond(K, `${BASE}/v1/prices/history/date?tokenName=bitcoin&date=01-05-2026`) +
    END,
  'another currency': respond(K, `${PATH}&currency=eur`) + respond(K) + respond(K, `${LONG}&currency=jpy`) + END,
  'an unknown currency': respond(K, `${PATH}&currency=xyz`) + END,
  'two codings': respond(`${K}Accept-Encoding: br\nAccept-Encoding: gzip\n`, LONG) + END,
  'no coding': respond(`${K}Accept-Encoding: identity;q=0, *;q=0\n`, LONG) + END,
  'odd coding': respond(`${K}Accept-Encoding: ;;;,=,q=;q=q,*;q=1e999\n`, LONG) + END,
  'x-http-method': respond(`${K}X-HTTP-Method: DELETE\nX-HTTP-Method-Override: DELETE\n`) + END,
  upgrade: respond(`${K}Connection: Upgrade, close\nUpgrade: websocket\n`),
  h2c: respond(`${K}Connection: Upgrade, HTTP2-Settings, close\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n`),
  'upgrade without connection': respond(`${K}Upgrade: websocket\n`) + END,
  body: `${respond(`${K}Content-Length: 2\n`)}ab${END}`,
  'empty body': `${respond(`${K}Content-Length: 0\n`)}${END}`,
  chunks: `${respond(`${K}Transfer-Encoding: chunked\n`)}2\nab\n0\n\n${END}`,
  'long body': respond(`${K}Content-Length: 2000000\n`),
  'length and chunks': `${respond(`${K}Content-Length: 2\nTransfer-Encoding: chunked\n`)}0\n\n`,
  'wrong type': respond(`${K}Content-Type: nonsense\n`) + END,
  'known etag': respond(`${K}If-None-Match: *\n`) + END,
  'empty etag': respond(`${K}If-None-Match:\n`) + END,
  'unknown etag': respond(`${K}If-None-Match: "x"\n`) + END,
  'other conditions':
    respond(`${K}If-Match: "x"\nIf-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT\nIf-Range: "x"\nRange: bytes=0-3\n`) +
    END,
  origin: respond(`${K}Origin: https://app.example.org\n`) + END,
  'empty origin': respond(`${K}Origin:\n`) + END,
  'cross site': respond(`${K}Sec-Fetch-Site: cross-site\n`) + END,
  head: respond(K).replace('GET', 'HEAD') + END,
  options: respond(K).replace('GET', 'OPTIONS') + END,
  post: respond(K).replace('GET', 'POST') + END,
  lower: respond(K).replace('GET', 'get'),
  slashes: respond(K, PATH.replace('/v1', '//v1')) + END,
  dots: respond(K, PATH.replace('/v1', '/./v1')) + END,
  fragment: respond(K, `${PATH}#x`) + END,
  'broken escape': respond(K, `${PATH}&a=%zz`) + END,
  'broken utf8': respond(K, `${PATH}&a=%ff`) + END,
  'raw bytes': respond(K, `${PATH}&a=\xe9`) + END,
  secret: respond(K, `${PATH}&Mnemonic=a`) + END,
  'twice the token': respond(K, `${PATH}&tokenName=solana`) + END,
  'names of a prototype': respond(K, `${PATH}&__proto__=a&constructor=b`) + END,
  '__proto__ path': respond(K, '__proto__'),
  'many headers': respond(`${K}${'x-a: b\n'.repeat(150)}`) + END,
  'too many headers': respond(`${K}${'x-a: b\n'.repeat(2100)}`) + END,
  'long headers': respond(`${K}x-long: ${'x'.repeat(17_000)}\n`) + END,
  'a key as the request ID': respond(`${K}X-Request-Id: KEY\n`) + END,
  forwarded: respond(`${K}X-Forwarded-For: 1.2.3.4\nX-Forwarded-Host: y\n`) + END,
  'proxy connection': respond(`${K}Proxy-Connection: close\nKeep-Alive: timeout=1\n`) + END,
  te: respond(`${K}TE: trailers\nTrailer: x\n`) + END,
  'null byte': respond(`${K}x-null: a\0b\n`),
  'broken request after': `${respond(K)}\0\0\n\n`,
  'half after': `${respond(K)}GET / HT\n\n`,
};

const used = async () => {
  const { allowance } = service.parts;
  const { used } = await allowance.usage(await allowance.holderOf(key));
  return used;
};

/** The response, and the number of calls charged for it. */
async function received(port: number, request: string) {
  const before = await used();
  const response = plain(await bytes(port, request));
  return { response, charged: (await used()) - before };
}

/** Sends a request to both, and expects the same response and the same charge. */
async function expectSame({ fastPath, framework }: Ports, request: string): Promise<string> {
  for (const port of [fastPath, framework]) {
    await bytes(port, `${respond(K)}${respond(K, LONG)}${respond(`${K}Accept-Encoding: gzip, br\n`, LONG)}${END}`);
    await bytes(port, request);
  }
  const other = await received(framework, request);
  expect(other.response).toMatch(/^HTTP\/1\.1 \d{3} /);
  // The fast path remembers only the last request, so the first one uses the framework.
  for (let i = 0; i < 2; i++) expect(await received(fastPath, request)).toEqual(other);
  return other.response;
}

test.each(Object.entries(REQUESTS))('%s', async (_what, request) => {
  await expectSame(ports, request);
});

const [APP, OTHER] = ['https://app.example.org', 'https://other.example.org'];

test.each([
  ['*', APP, '*'],
  [APP, APP, APP],
  [APP, OTHER, undefined],
])('with the origins %s, for a page of %s', async (allowed, origin, received) => {
  const both = await openBoth([allowed]);
  for (const fields of ['', `Origin: ${origin}\n`, `Origin: ${origin}\nIf-None-Match: *\n`]) {
    const response = await expectSame(both, respond(K + fields) + respond(K + fields, LONG) + END);
    const first = /^access-control-allow-origin: (.*)$/m.exec(response.split('HTTP/1.1 404', 1)[0] ?? '')?.[1];
    expect(first).toBe(fields === '' && received !== '*' ? undefined : received);
  }
});

/** Sends a request several times, each time after the response to the previous one, and returns the responses. */
async function oneByOne(port: number, request: string, count: number): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const responses: string[] = [];
  for (let n = 0; n < count && !socket.destroyed; n++) {
    socket.write(request.replaceAll('\n', '\r\n').replaceAll('KEY', key));
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    if (chunk) responses.push(chunk[0].toString('latin1'));
  }
  socket.destroy();
  return responses;
}

/** Single requests. The final response arrives in one piece, without a 100 before it. */
const SINGLE = Object.entries(REQUESTS).filter(
  ([name, request]) =>
    request.endsWith(END) && request.slice(0, -END.length).match(/\n\n/g)?.length === 1 && name !== 'expect',
);

test.each(SINGLE)('one by one: %s', async (_name, text) => {
  const request = text.slice(0, -END.length);
  // The first response of each may contain the fetch of the data.
  for (const port of [ports.fastPath, ports.framework]) await oneByOne(port, request, 1);
  const expected = await oneByOne(ports.framework, request, 1);
  const before = await used();
  const responses = await oneByOne(ports.fastPath, request, 4);
  const charged = (await used()) - before;
  const isPaid = /^HTTP\/1\.1 200 /.test(expected[0] ?? '') && !request.startsWith('OPTIONS');
  for (const response of responses) expect(plain(response)).toBe(plain(expected[0] ?? ''));
  expect(charged).toBe(isPaid ? responses.length : 0);
});

test('the same bytes do not reach Node’s HTTP server again', async () => {
  const app = apps[0];
  const requests = vi.fn();
  app?.server.on('request', requests);
  const responses = await oneByOne(ports.fastPath, respond(K), 20);
  app?.server.off('request', requests);
  expect(responses.every((response) => response.startsWith('HTTP/1.1 200 '))).toBe(true);
  // The first request of the connection, and at most one that finds the response of the second before.
  expect(requests.mock.calls.length).toBeLessThan(5);
});

test('the fast path has responded to some of them', async () => {
  const spends = vi.spyOn(service.parts.allowance, 'spendAtOnce');
  await bytes(ports.fastPath, REQUESTS['three in a row'] as string);
  expect(spends.mock.results.filter(({ value }) => value !== undefined).length).toBeGreaterThan(1);
  spends.mockRestore();
});
