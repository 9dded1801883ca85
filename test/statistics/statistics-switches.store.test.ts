import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
afterEach(() => service?.close());

const [INFO, WARN] = [30, 40];

/** Advances the clock by an hour, and requests the token until its statistics are fresh. */
async function nextHour(...tokens: string[]): Promise<void> {
  await service.pass(HOUR);
  for (const token of tokens) await service.stats(token);
  await service.parts.statistics.idle();
}

describe('a switch between sources is logged', () => {
  test('once with both sources and the cause, and once when it is reverted', async () => {
    service = await startWithStatistics();
    await service.stats('btc');
    expect(service.switches()).toEqual([]);
    service.fail('cryptocompare');
    for (let hour = 0; hour < 5; hour++) {
      await nextHour('btc');
      for (let i = 0; i < 10; i++) expect((await service.stats('btc')).source).toBe('bitcoin-stats');
    }
    const away = { token: 'btc', from: 'cryptocompare', to: 'bitcoin-stats' };
    expect(service.switches()).toEqual([{ level: WARN, ...away, reason: 'not_json' }]);

    service.sandbox.faults.clear();
    await nextHour('btc');
    for (let i = 0; i < 10; i++) expect((await service.stats('btc')).source).toBe('cryptocompare');
    expect(service.switches().slice(1)).toEqual([
      { level: INFO, token: 'btc', from: 'bitcoin-stats', to: 'cryptocompare', reason: 'preferred' },
    ]);
  });

  test('if a chain is unlisted from the start, and not again every day', async () => {
    service = await startWithStatistics();
    const first = {
      level: INFO,
      token: 'ar',
      from: 'cryptocompare',
      to: 'arweave-node',
      reason: 'not_listed',
    };
    for (let day = 0; day < 3; day++) {
      await service.stats('ar');
      await service.pass(DAY);
    }
    expect(service.switches()).toEqual([first]);
  });

  test('but not for a refresh that failed entirely', async () => {
    service = await startWithStatistics();
    await service.stats('btc');
    service.fail('cryptocompare');
    service.fail('bitcoin-stats');
    for (let hour = 0; hour < 3; hour++) await nextHour('btc');
    expect(await service.stats('btc')).toMatchObject({ status: 200, source: 'cryptocompare' });
    expect(service.switches()).toEqual([]);
  });

  test('but not again by a process that restarts', async () => {
    service = await startWithStatistics();
    service.fail('cryptocompare');
    await service.stats('btc');
    expect(service.switches()).toHaveLength(1);
    const lines: string[] = [];
    const again = await service.another({}, lines);
    service.clock.advance(HOUR);
    const response = await again.statistics.latest('btc');
    await again.statistics.idle();
    expect(response.source).toBe('bitcoin-stats');
    expect(lines.filter((line) => line.includes('statistics source switched'))).toEqual([]);
  });

  test('as not configured if the key was removed', async () => {
    service = await startWithStatistics();
    await service.stats('btc');
    const lines: string[] = [];
    const again = await service.another({ CRYPTOCOMPARE_API_KEY: '' }, lines);
    service.clock.advance(HOUR);
    await again.statistics.latest('btc');
    await again.statistics.idle();
    const [said] = lines.filter((line) => line.includes('statistics source switched'));
    expect(JSON.parse(said ?? '{}')).toMatchObject({ level: INFO, reason: 'not_configured' });
  });
});

describe('a chain that a source does not list', () => {
  test('is known to a second process, and after a restart', async () => {
    service = await startWithStatistics({ start: '2026-05-15T14:10:06Z' });
    const second = await service.another();
    await service.stats('ar');
    expect(service.calls('cryptocompare')).toBe(1);
    await second.poll();
    const restarted = await service.another();
    for (const parts of [second, restarted]) {
      await service.pass(HOUR);
      await parts.poll();
      expect((await parts.statistics.latest('ar')).source).toBe('arweave-node');
      await parts.statistics.idle();
    }
    expect(service.calls('cryptocompare')).toBe(1);
    expect(service.calls('arweave-node')).toBe(3 * 3);
  });

  test('is known even if no other source responded', async () => {
    service = await startWithStatistics({ start: '2026-05-15T14:10:06Z' });
    service.fail('arweave-node');
    expect((await service.stats('ar')).status).toBe(502);
    await service.pass(HOUR);
    expect((await service.stats('ar')).status).toBe(502);
    expect(service.calls('cryptocompare')).toBe(1);
    expect(service.calls('arweave-node')).toBeGreaterThan(1);
  });
});
