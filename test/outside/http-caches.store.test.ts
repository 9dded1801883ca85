import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { setupCache } from 'axios-cache-interceptor';
import got from 'got';
import makeFetchHappen from 'make-fetch-happen';
import { Agent, interceptors, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { MINUTE } from '../../src/core/clock.ts';
import { DAYS, type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../support/service/chaos.ts';

/*
 * Real HTTP caches in front of the service. During a response's lifetime, one call reaches the service and is charged.
 * Afterwards, a client that has the response gets a free 304.
 */

const START = '2026-05-15T14:10:06Z';

let service: FaultyUpstreamService;
let wire: Server;
let folder: string;
/** The statuses of the responses that the service sent. */
const statuses: (number | undefined)[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(START) });
  service = await startWithFaultyUpstream({ start: START });
  wire = createServer(({ url, method, headers }, response) => {
    const onwards = forward(`${service.url}${url}`, { method, headers }, (forwarded) => {
      statuses.push(forwarded.statusCode);
      response.writeHead(forwarded.statusCode ?? 0, forwarded.rawHeaders);
      forwarded.pipe(response);
    });
    onwards.end();
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'quotient-http-cache-'));
});
afterEach(() => service.gate.reopen());
afterAll(async () => {
  wire?.close();
  wire?.closeAllConnections();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
  vi.useRealTimers();
});

type Get = (url: string, headers: Record<string, string>) => Promise<string>;

/** Each cache, configured as a private cache as its documentation describes. */
const CACHES: Record<string, () => Get> = {
  undici: () => {
    const dispatcher = new Agent().compose(interceptors.cache({ type: 'private' }));
    return async (url, headers) => (await request(url, { dispatcher, headers })).body.text();
  },
  got: () => {
    const client = got.extend({ cache: new Map(), cacheOptions: { shared: false } });
    return (url, headers) => client(url, { headers }).text();
  },
  axios: () => {
    const client = setupCache(axios.create(), { vary: ['accept'] });
    client.location = 'client';
    return async (url, headers) => (await client.get<string>(url, { headers, responseType: 'text' })).data;
  },
  'make-fetch-happen': () => {
    const fetch = makeFetchHappen.defaults({ cachePath: folder, timeout: 0 });
    return async (url, headers) => (await fetch(url, { headers, timeout: 0 })).text();
  },
};

const used = async () => {
  const forwarded = await service.get('/v1/user/usage', { key: service.key });
  return ((await forwarded.json()) as { used: number }).used;
};

test.each(Object.keys(CACHES).flatMap((name) => [LATEST, DAYS].map((path) => [name, path] as const)))(
  '%s requests %s once in its lifetime, and revalidates it with a 304 afterwards',
  async (name, path) => {
    const get = (CACHES[name] as () => Get)();
    const { port } = wire.address() as AddressInfo;
    const respond = () => get(`http://127.0.0.1:${port}${path}`, { 'x-api-key': service.key });
    const pass = async (ms: number) => {
      await service.pass(ms);
      vi.setSystemTime(service.clock.now());
    };
    await service.ask(path);
    await service.parts.market.idle();
    // Stored half a lifetime ago, so a response sent now is fresh for the other half.
    await pass(3 * MINUTE);
    statuses.length = 0;
    const before = await used();

    const first = await respond();
    for (let i = 0; i < 3; i++) {
      await pass(40_000);
      expect(await respond()).toBe(first);
    }
    expect(statuses).toEqual([200]);
    expect(await used()).toBe(before + 1);

    await service.gate.shut();
    await pass(20 * MINUTE);
    expect(await respond()).toBe(first);
    expect(statuses).toEqual([200, 304]);
    expect(await used()).toBe(before + 1);
  },
);
