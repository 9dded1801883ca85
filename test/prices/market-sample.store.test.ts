import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { type MarketSample, marketSample } from '#prices/latest/latest-records';
import { type Document, published } from '../../fixtures/published.ts';
import { DAYS, type FaultyUpstreamService, startWithFaultyUpstream } from '../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeEach(async () => {
  service = await startWithFaultyUpstream();
});
afterEach(() => service.close());

const get = (query = '', headers: Record<string, string> = {}) => service.get(`/v1/sample${query}`, { headers });
const calls = () => service.sandbox.countCalls();

/** Requests the sample frequently without a key, for a number of hours. */
async function flood(hours: number): Promise<void> {
  for (let minutes = 0; minutes < hours * 60; minutes += 10) {
    const responses = await Promise.all(Array.from({ length: 5 }, (_, i) => get(`?x=${i}`)));
    for (const response of responses) await response.text();
    await service.parts.market.idle();
    await service.pass(10 * MINUTE);
  }
}

describe('GET /v1/sample', () => {
  test('returns the same data without a key as the other paths with a key', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    const { title, latest, history } = marketSample.parse(await response.json());
    expect(title).toBe('Bitcoin');
    expect(latest.change_24h).toBeTypeOf('number');
    const table = await service.ask('/v1/prices/latest/tokens?tokenNames=bitcoin');
    expect([latest]).toEqual(JSON.parse(table.body));
    expect([history]).toEqual(JSON.parse((await service.ask(DAYS)).body));
    expect(history.prices).toHaveLength(31);
  });

  test('has its source, its age and a validator, and can be stored by shared caches', async () => {
    await (await get()).text();
    await service.pass(10 * MINUTE);
    const response = await get();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'quotient-source': 'coingecko',
      age: '600',
      'cache-control': 'public, max-age=3600, stale-while-revalidate=60, stale-if-error=86400',
      vary: 'Accept-Encoding',
    });
    const again = await get('', { 'if-none-match': String(response.headers.get('etag')) });
    expect([again.status, await again.text(), again.headers.get('age')]).toEqual([304, '', '600']);
    expect((await get('', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBe('br');
    const head = await fetch(`${service.url}/v1/sample`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('conforms to the description, and has no parameters', async () => {
    const contract = published((await (await service.get('/openapi.json')).json()) as Document);
    for (const [query, status] of [
      ['', 200],
      ['?tokenName=solana&days=7&key=x', 200],
      ['?mnemonic=abandon', 400],
      ['?format=csv', 406],
    ] as const) {
      const response = await get(query);
      const [body, headers] = [await response.text(), Object.fromEntries(response.headers)];
      const about = { method: 'GET', path: '/v1/sample', status: response.status, headers, body };
      expect([query, response.status, contract.faults(about)]).toEqual([query, status, []]);
    }
    expect((await fetch(`${service.url}/v1/sample`, { method: 'POST' })).status).toBe(405);
  });

  test('is free of charge, even with a key', async () => {
    expect((await get('', { 'x-api-key': service.key })).headers.get('ratelimit')).toBeNull();
    const usage = (await (await service.get('/v1/user/usage', { key: service.key })).json()) as {
      used: number;
    };
    expect(usage.used).toBe(0);
  });

  test('causes one CoinGecko refresh an hour, however many clients request it', async () => {
    await (await get()).text();
    await service.parts.market.idle();
    const first = calls();
    expect(first).toBeGreaterThan(0);
    await flood(1);
    expect(calls()).toBe(first);
    const day = calls();
    await flood(3);
    // The latest price and the chart. The daily series is fetched after midnight, which is not in this period.
    expect(calls() - day).toBeLessThanOrEqual(3 * 2);
    expect(calls() - day).toBeGreaterThanOrEqual(3);
    const { latest } = (await (await get()).json()) as MarketSample;
    expect(service.clock.now() - Date.parse(String(latest.at))).toBeLessThan(2 * HOUR);
  });

  test('serves data that other requests have fetched since, without a fetch', async () => {
    await (await get()).text();
    for (let hour = 0; hour < 3; hour++) {
      await service.pass(HOUR - MINUTE);
      await service.ask('/v1/prices/latest/tokens?tokenNames=bitcoin');
      await service.ask(DAYS);
      await service.parts.market.idle();
      const before = calls();
      const response = await get();
      expect(Number(response.headers.get('age'))).toBeLessThan(60);
      await response.text();
      await service.parts.market.idle();
      expect(calls()).toBe(before);
    }
  });

  test('is the last good response while CoinGecko is unavailable, and a problem without stored data', async () => {
    await service.gate.shut();
    const nothing = await get();
    expect(nothing.status).toBe(503);
    expect(nothing.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const tries = service.parts.market.warnings().length;
    expect(tries).toBeGreaterThan(0);
    await service.gate.reopen();
    // Requests without a key do not retry a failed fetch. Data fetched for a user is served.
    await service.pass(30 * MINUTE);
    expect((await get()).status).toBe(503);
    await service.ask('/v1/prices/latest/tokens?tokenNames=bitcoin');
    await service.ask(DAYS);
    await service.pass(MINUTE);
    expect((await get()).status).toBe(200);
    await service.gate.shut();
    await service.pass(5 * HOUR);
    const old = await get();
    expect([old.status, old.headers.get('age')]).toEqual([200, String(5 * 3600 + 60)]);
  });
});
