import { afterEach, describe, expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { BROKEN, KEYLESS, startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
afterEach(() => service?.close());

const TOKENS = ['btc', 'ar', 'eth', 'sol'] as const;
const failAll = (fault: Fault) => {
  service.fail('cryptocompare', fault);
  for (const upstream of Object.values(KEYLESS)) service.fail(upstream, fault);
};

describe('a source that is down', () => {
  test('has no effect if it requires no key and a source with a key responds', async () => {
    service = await startWithStatistics();
    for (const upstream of Object.values(KEYLESS)) service.fail(upstream);
    for (const token of ['btc', 'eth']) expect((await service.stats(token)).source, token).toBe('cryptocompare');
    expect(service.calls('bitcoin-stats') + service.calls('ethereum-stats')).toBe(0);
  });

  test('without a key, each chain has one source, and no other is called', async () => {
    service = await startWithStatistics({ settings: { CRYPTOCOMPARE_API_KEY: '' } });
    for (const token of TOKENS) expect((await service.stats(token)).source).toBe(KEYLESS[token]);
    expect(service.calls('cryptocompare')).toBe(0);
    expect(service.switches()).toEqual([]);
  });
});

describe('while all sources are down', () => {
  test('the last good statistics are served with their age and the cause, until a source recovers', async () => {
    service = await startWithStatistics();
    const good = new Map<string, string>();
    for (const token of TOKENS) good.set(token, (await service.stats(token)).body);
    failAll({ kind: 'status', status: 500 });
    await service.pass(3 * HOUR);
    for (const token of TOKENS) {
      const response = await service.stats(token);
      expect(response).toMatchObject({ status: 200, body: good.get(token) });
      expect(response.header('age')).toBe(String((3 * HOUR) / 1000));
      expect(response.header('cache-control')).toContain('max-age=3600,');
      await service.parts.statistics.idle();
      const { cache } = await service.stats(token);
      expect(cache, token).toEqual({
        cache: 'quotient',
        fwd: 'stale',
        ttl: (-2 * HOUR) / 1000,
        detail: 'server_error',
      });
    }
    const ready = await (await service.get('/health/ready')).json();
    expect(ready).toEqual({
      status: 'ok',
      warnings: [
        ...TOKENS.map((token) => `statistics:${token}: server_error`),
        ...['cryptocompare', ...Object.values(KEYLESS)].map((name) => `${name}: server_error`),
      ],
    });

    service.sandbox.faults.clear();
    await service.pass(10 * 60_000);
    for (const token of TOKENS) await service.stats(token);
    await service.parts.statistics.idle();
    for (const token of TOKENS) {
      const response = await service.stats(token);
      expect(response.cache).toEqual({ cache: 'quotient', hit: true, ttl: 3600 });
      expect(response.header('age')).toBe('0');
    }
    expect(await (await service.get('/health/ready')).json()).toEqual({ status: 'ok', warnings: [] });
  });

  test.each<[string, number, Fault]>([
    ['upstream_unavailable', 503, { kind: 'status', status: 503 }],
    ['upstream_invalid', 502, BROKEN],
    ['upstream_timeout', 504, { kind: 'hangBeforeHeaders' }],
  ])('responds with %s (%i) without stored data: %j', async (code, status, fault) => {
    const isHanging = fault.kind === 'hangBeforeHeaders';
    service = await startWithStatistics(isHanging ? { settings: { UPSTREAM_TIMEOUT_MS: '300' } } : {});
    failAll(fault);
    const responses = await Promise.all(TOKENS.map((token) => service.stats(token)));
    for (const [i, response] of responses.entries()) {
      expect([response.status, response.code], TOKENS[i]).toEqual([status, code]);
      expect(Number(response.header('retry-after'))).toBeGreaterThan(0);
      expect(response.source).toBeUndefined();
    }
  });
});
