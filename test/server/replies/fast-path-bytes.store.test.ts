import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '#app';
import { createTestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { withoutFastPath } from '../../support/service/without-fast-path.ts';

/** The same service with its fast path and without: every request is sent to both, byte by byte. */
const clock = createTestClock('2026-05-15T14:10:06Z');
const BASE = '/market';
let service: Service;
/** Ports of the same app with the fast path and without. */
type Ports = { fastPath: number; framework: number };
let ports: Ports;
let key: string;
const apps: Awaited<ReturnType<typeof buildApp>>[] = [];

/** Two apps, with the fast path and without, of which pages of these origins may read the answers. */
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

/** Everything that comes back before the other side hangs up; the last request asks it to. */
async function bytes(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(sent.replaceAll('\n', '\r\n').replaceAll('KEY', key));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** Without what is of the one call; the length of a problem depends on its request id. */
const plain = (answer: string) =>
  answer
    .replace(/^content-length: .*\r\n(?=(?:.+\r\n)*\r\n\{"type":)/gim, '')
    .replace(/^(date|ratelimit|x-request-id): .*\r\n/gim, '')
    .replace(/"requestId":"[^"]*"/g, '')
    .split('\r\n')
    .map((line) => line.replace(/^[A-Za-z-]+:/, (name) => name.toLowerCase()))
    .join('\n');

const END = 'GET / HTTP/1.1\nHost: x\nConnection: close\n\n';
const ask = (head: string, path = PATH) => `GET ${path} HTTP/1.1\nHost: x\n${head}\n`;
const K = 'x-api-key: KEY\n';

const REQUESTS: Record<string, string> = {
  plain: ask(K) + END,
  'three in a row': ask(K) + ask(K) + ask(K, LONG) + ask(K) + END,
  close: ask(`${K}Connection: close\n`),
  'http/1.0': `GET ${PATH} HTTP/1.0\n${K}\n`,
  'http/1.0 keep': `GET ${PATH} HTTP/1.0\nConnection: keep-alive\n${K}\n${END}`,
  'no host': `GET ${PATH} HTTP/1.1\n${K}\n`,
  'two hosts': `GET ${PATH} HTTP/1.1\nHost: a\nHost: b\n${K}Connection: close\n\n`,
  expect: ask(`${K}Expect: 100-continue\n`) + END,
  'expect else': ask(`${K}Expect: 200-ok\n`) + END,
  'two keys': ask(K + K) + END,
  'two different keys': ask(`${K}x-api-key: other\n`) + END,
  'empty key': ask('x-api-key:\n') + END,
  bearer: ask('Authorization: bearer KEY\n') + END,
  'bearer twice': ask('Authorization: Bearer KEY\nAuthorization: Bearer KEY\n') + END,
  'two bearers': ask('Authorization: Bearer KEY\nAuthorization: Bearer other\n') + END,
  'key and bearer': ask(`${K}Authorization: Bearer KEY\n`) + END,
  'key and another': ask(`${K}Authorization: Bearer qt_other\n`) + END,
  'key and a proxy’s': ask(`${K}Authorization: Basic dXNlcjpwYXNz\n`) + END,
  'unknown scheme': ask('Authorization: Digest KEY\n') + END,
  'no key': ask('') + END,
  'absolute form': `GET http://x${PATH} HTTP/1.1\nHost: x\n${K}\n${END}`,
  'odd case': ask('X-aPi-KeY: KEY\nACCEPT-encoding: GZIP\n', LONG) + END,
  'trailing whitespace': ask('x-api-key:   KEY \t \n') + END,
  'inner whitespace': ask('x-api-key: KE Y\n') + END,
  'empty accept': ask(`${K}Accept:\n`) + END,
  'two accepts': ask(`${K}Accept: text/csv\nAccept: application/json\n`, LONG) + END,
  csv: ask(`${K}Accept: text/csv\n`, LONG) + END,
  image: ask(`${K}Accept: image/png\n`, LONG) + END,
  'another currency': ask(K, `${PATH}&currency=eur`) + ask(K) + ask(K, `${LONG}&currency=jpy`) + END,
  'a currency that is none': ask(K, `${PATH}&currency=xyz`) + END,
  'two codings': ask(`${K}Accept-Encoding: br\nAccept-Encoding: gzip\n`, LONG) + END,
  'no coding': ask(`${K}Accept-Encoding: identity;q=0, *;q=0\n`, LONG) + END,
  'odd coding': ask(`${K}Accept-Encoding: ;;;,=,q=;q=q,*;q=1e999\n`, LONG) + END,
  'x-http-method': ask(`${K}X-HTTP-Method: DELETE\nX-HTTP-Method-Override: DELETE\n`) + END,
  upgrade: ask(`${K}Connection: Upgrade, close\nUpgrade: websocket\n`),
  h2c: ask(`${K}Connection: Upgrade, HTTP2-Settings, close\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n`),
  'upgrade without connection': ask(`${K}Upgrade: websocket\n`) + END,
  body: `${ask(`${K}Content-Length: 2\n`)}ab${END}`,
  'empty body': `${ask(`${K}Content-Length: 0\n`)}${END}`,
  chunks: `${ask(`${K}Transfer-Encoding: chunked\n`)}2\nab\n0\n\n${END}`,
  'long body': ask(`${K}Content-Length: 2000000\n`),
  'length and chunks': `${ask(`${K}Content-Length: 2\nTransfer-Encoding: chunked\n`)}0\n\n`,
  'wrong type': ask(`${K}Content-Type: nonsense\n`) + END,
  'known etag': ask(`${K}If-None-Match: *\n`) + END,
  'empty etag': ask(`${K}If-None-Match:\n`) + END,
  'unknown etag': ask(`${K}If-None-Match: "x"\n`) + END,
  'other conditions':
    ask(`${K}If-Match: "x"\nIf-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT\nIf-Range: "x"\nRange: bytes=0-3\n`) + END,
  origin: ask(`${K}Origin: https://app.example.org\n`) + END,
  'empty origin': ask(`${K}Origin:\n`) + END,
  'cross site': ask(`${K}Sec-Fetch-Site: cross-site\n`) + END,
  head: ask(K).replace('GET', 'HEAD') + END,
  options: ask(K).replace('GET', 'OPTIONS') + END,
  post: ask(K).replace('GET', 'POST') + END,
  lower: ask(K).replace('GET', 'get'),
  slashes: ask(K, PATH.replace('/v1', '//v1')) + END,
  dots: ask(K, PATH.replace('/v1', '/./v1')) + END,
  fragment: ask(K, `${PATH}#x`) + END,
  'broken escape': ask(K, `${PATH}&a=%zz`) + END,
  'broken utf8': ask(K, `${PATH}&a=%ff`) + END,
  'raw bytes': ask(K, `${PATH}&a=\xe9`) + END,
  secret: ask(K, `${PATH}&Mnemonic=a`) + END,
  'twice the token': ask(K, `${PATH}&tokenName=solana`) + END,
  'names of a prototype': ask(K, `${PATH}&__proto__=a&constructor=b`) + END,
  '__proto__ path': ask(K, '__proto__'),
  'many headers': ask(`${K}${'x-a: b\n'.repeat(150)}`) + END,
  'too many headers': ask(`${K}${'x-a: b\n'.repeat(2100)}`) + END,
  'long headers': ask(`${K}x-long: ${'x'.repeat(17_000)}\n`) + END,
  'a key of the request id': ask(`${K}X-Request-Id: KEY\n`) + END,
  forwarded: ask(`${K}X-Forwarded-For: 1.2.3.4\nX-Forwarded-Host: y\n`) + END,
  'proxy connection': ask(`${K}Proxy-Connection: close\nKeep-Alive: timeout=1\n`) + END,
  te: ask(`${K}TE: trailers\nTrailer: x\n`) + END,
  'null byte': ask(`${K}x-null: a\0b\n`),
  'broken request after': `${ask(K)}\0\0\n\n`,
  'half after': `${ask(K)}GET / HT\n\n`,
};

const used = async () => {
  const { allowance } = service.parts;
  const { used } = await allowance.usage(await allowance.authenticate(key));
  return used;
};

/** The response, and the number of calls charged for it. */
async function received(port: number, request: string) {
  const before = await used();
  const answer = plain(await bytes(port, request));
  return { answer, charged: (await used()) - before };
}

/** Sends a request both ways, and expects the same answer and the same charge. */
async function expectSame({ fastPath, framework }: Ports, request: string): Promise<string> {
  for (const port of [fastPath, framework]) {
    await bytes(port, `${ask(K)}${ask(K, LONG)}${ask(`${K}Accept-Encoding: gzip, br\n`, LONG)}${END}`);
    await bytes(port, request);
  }
  const other = await received(framework, request);
  expect(other.answer).toMatch(/^HTTP\/1\.1 \d{3} /);
  // The fast path remembers only the last request, which was another one in between.
  for (let i = 0; i < 2; i++) expect(await received(fastPath, request)).toEqual(other);
  return other.answer;
}

test.each(Object.entries(REQUESTS))('%s', async (_what, request) => {
  await expectSame(ports, request);
});

const [APP, OTHER] = ['https://app.example.org', 'https://other.example.org'];

test.each([
  ['*', APP, '*'],
  [APP, APP, APP],
  [APP, OTHER, undefined],
])('with the origins %s, to a page of %s', async (allowed, origin, received) => {
  const both = await openBoth([allowed]);
  for (const fields of ['', `Origin: ${origin}\n`, `Origin: ${origin}\nIf-None-Match: *\n`]) {
    const answer = await expectSame(both, ask(K + fields) + ask(K + fields, LONG) + END);
    const first = /^access-control-allow-origin: (.*)$/m.exec(answer.split('HTTP/1.1 404', 1)[0] ?? '')?.[1];
    expect(first).toBe(fields === '' && received !== '*' ? undefined : received);
  }
});

test('the fast path has answered some of them itself', async () => {
  const asked = vi.spyOn(service.parts.allowance, 'spendAtOnce');
  await bytes(ports.fastPath, REQUESTS['three in a row'] as string);
  expect(asked.mock.results.filter(({ value }) => value !== undefined).length).toBeGreaterThan(1);
  asked.mockRestore();
});
