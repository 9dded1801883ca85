import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvents } from '../../support/service/event-stream.ts';
import { PRICED } from '../../support/service/hammer.ts';
import { storePrice } from '../../support/service/store-price.ts';
import { isInstalled, type ProxyName, type startProxy } from './proxies.ts';
import { openStand, type Stand } from './stand.ts';

const REGISTRATION = '/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly';
const OPTIONS = { nginx: ['-v'], caddy: ['version'] };
const NAMES: readonly ProxyName[] = ['nginx', 'caddy'];
const hasOpenssl = isInstalled('openssl', 'version');
const isHere = (name: ProxyName) => hasOpenssl && isInstalled(name, ...OPTIONS[name]);

let stand: Stand;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let key: string;

/** Registrations are limited to one a minute, for each client address and process. */
async function register(from: string, headers: Record<string, string> = {}) {
  const { status, text } = await stand.send(proxy.url + REGISTRATION, { method: 'POST', from, headers });
  return { status, key: (JSON.parse(text) as { apiKey: string }).apiKey };
}

const get = (path: string, key: string, headers: Record<string, string> = {}) =>
  stand.send(proxy.url + path, { headers: { 'x-api-key': key, ...headers } });

describe.runIf(NAMES.some(isHere))('in front of two processes and one that does not run', () => {
  beforeAll(async () => {
    stand = await openStand({
      REGISTRATION: 'open',
      REGISTRATIONS_PER_MINUTE: '1',
      BURST_PER_SECOND: '0',
      COINGECKO_REFRESH: 'latest=1h',
    });
  }, 60_000);
  afterAll(() => stand?.close());

  for (const [place, name] of NAMES.entries()) {
    if (!isHere(name)) {
      console.log(`${name} or openssl is not installed: the tests of its configuration are skipped.`);
      continue;
    }
    describe(`${name}, with the file of the page`, () => testsOf(name, `127.0.${place}`));
  }
  describe.runIf(isHere('nginx'))('nginx with changes that the page warns of', testsOfChanges);

  it('no read is lost when a process is killed, and the response is a problem when none runs', async () => {
    const names = NAMES.filter(isHere);
    const proxies = await Promise.all(names.map((name) => stand.open(name)));
    const send = ({ url }: typeof proxy, path: string) => stand.send(url + path, { headers: { 'x-api-key': key } });
    await stand.processes[0].kill();
    for (const one of proxies) for (let i = 0; i < 20; i++) expect((await send(one, PRICED)).status).toBe(200);
    await stand.processes[1].kill();
    for (const one of proxies) {
      const { status, headers, text } = await send(one, `/v1/user/data?api=${key}`);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.parse(text)).toMatchObject({ code: 'overloaded', requestId: headers['x-request-id'] });
    }
    const written = () => {
      const logs = readdirSync(stand.folder).filter((file) => file.endsWith('.log'));
      return logs.map((file) => readFileSync(join(stand.folder, file), 'utf8')).join('');
    };
    // nginx logs a request after its response.
    if (isHere('nginx')) await expect.poll(written).toContain(' 503 ');
    expect(written() + proxies.map(({ output }) => output()).join('')).not.toContain('qt_');
    for (const one of proxies) await one.close();
  });
});

/** `addresses`: the first three numbers of the addresses from which clients connect. */
function testsOf(name: ProxyName, addresses: string): void {
  beforeAll(async () => {
    proxy = await stand.open(name);
    ({ key } = await register(`${addresses}.9`));
  });
  afterAll(() => proxy?.close());

  it('passes the events of a stream on one by one, uncompressed', async () => {
    await get(PRICED, key);
    const options = { key, ca: stand.certificate, headers: { 'accept-encoding': 'gzip, br' } };
    const stream = await openEvents(`${proxy.url}/v1/prices/stream?tokenNames=bitcoin`, options);
    expect([stream.status, stream.headers['content-encoding']]).toEqual([200, undefined]);
    await stream.received(1);
    for (let change = 1; change <= 3; change++) {
      await storePrice(stand.database, 'bitcoin', change);
      await stream.received(1 + change);
      expect(stream.prices().at(-1).current_price).toBe(change);
    }
    stream.close();
  });

  it.each(['identity', 'gzip', 'br'])('passes ETags on unchanged, so that 304 is possible: %s', async (coding) => {
    const path = '/v1/prices/history/days?tokenName=bitcoin&days=30';
    const accept = { 'accept-encoding': coding };
    await get(path, key);
    const [direct, passed] = [
      await stand.send(stand.processes[0].url + path, { headers: { 'x-api-key': key, ...accept } }),
      await get(path, key, accept),
    ];
    expect(passed.status).toBe(200);
    expect(passed.headers.etag).toMatch(/^"/);
    expect(passed.headers.etag).toBe(direct.headers.etag);
    expect(passed.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
    const again = await get(path, key, { ...accept, 'if-none-match': String(passed.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('accepts bodies up to the limit of the service, and rejects longer ones with its problem', async () => {
    const renew = (bytes: number) =>
      stand.send(`${proxy.url}/v1/user/renew`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: 'x'.repeat(bytes),
      });
    expect((await renew(600_000)).status).toBe(200);
    const rejected = await renew(3_000_000);
    expect([rejected.status, rejected.headers['content-type']]).toEqual([413, 'application/problem+json']);
    expect(JSON.parse(rejected.text)).toMatchObject({
      code: 'body_too_large',
      requestId: rejected.headers['x-request-id'],
    });
  });

  it('names the client by its own address, whatever the client claims', async () => {
    const statuses: number[] = [];
    for (let i = 1; i <= 8; i++) {
      const claim = `198.51.100.${i}`;
      const claims = { 'x-forwarded-for': claim, ...(i > 4 && { forwarded: `for=${claim}` }) };
      statuses.push((await register(`${addresses}.2`, claims)).status);
    }
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(stand.processes.length);
    expect(statuses.at(-1)).toBe(429);
    expect((await register(`${addresses}.3`)).status).toBe(201);
  });
}

function testsOfChanges(): void {
  const start = (lines: string) =>
    beforeEach(async () => {
      proxy = await stand.open('nginx', (site) =>
        `proxy_cache_path ${stand.folder}/cache keys_zone=cache:1m;\n${site}`.replace(
          'proxy_pass ',
          `proxy_cache cache; ${lines} proxy_pass `,
        ),
      );
    });
  afterEach(() => proxy?.close());

  describe('proxy_cache', () => {
    start('');
    it('removes the conditions of requests, so that a client pays for a response that it has', async () => {
      const { headers } = await get(PRICED, key);
      expect((await get(PRICED, key, { 'if-none-match': String(headers.etag) })).status).toBe(200);
    });
  });

  describe('proxy_cache that ignores Cache-Control', () => {
    start('proxy_ignore_headers Cache-Control; proxy_cache_valid 200 1m;');
    it('serves the response of one user to everyone, without a key', async () => {
      expect((await get(PRICED, key)).status).toBe(200);
      expect((await stand.send(proxy.url + PRICED)).status).toBe(200);
    });
  });
}
