import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock } from '../../fixtures/clock.ts';
import { startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

const NOW = '2026-05-15T14:10:06Z';

let bitcoin: Sandbox;
let service: WithStatistics;
beforeEach(async () => {
  const clock = createTestClock(NOW);
  bitcoin = await startSandbox({ clock: { now: () => (service ? service.clock.now() : clock.now()) } });
  const BITCOIN_STATS_URL = `${bitcoin.bitcoinUrl},${bitcoin.mempoolUrl}`;
  service = await startWithStatistics({ start: NOW, settings: { CRYPTOCOMPARE_API_KEY: '', BITCOIN_STATS_URL } });
});
afterEach(async () => {
  await service.close();
  await bitcoin.close();
});

/** Makes blockchain.info return figures of ten days ago. */
function freeze(): void {
  const timestamp = Date.parse(NOW) - 10 * DAY;
  const body = { timestamp, n_blocks_total: 800_000 };
  bitcoin.faults.always({ kind: 'status', status: 200, body }, { path: '/bitcoin' });
}
const failMempool = () => bitcoin.faults.always({ kind: 'status', status: 500 }, { path: '/mempool' });
const ttlOf = (status: string | undefined) => Number(/ttl=(-?\d+)/.exec(status ?? '')?.[1]);

describe('figures of ten days ago', () => {
  test('are a failure of their source: the next source is served', async () => {
    freeze();
    const response = await service.stats('btc');
    expect([response.status, response.source]).toEqual([200, 'bitcoin-mempool']);
    expect(response.header('cache-status')).toMatch(/^quotient; fwd=miss; stored; ttl=\d+$/);
    const { warnings } = (await (await service.get('/health/ready')).json()) as { warnings: string[] };
    expect(warnings).toEqual(['bitcoin-stats: stale']);
  });

  test('are served as stale if no source has newer ones, and never as fresh', async () => {
    freeze();
    failMempool();
    for (const wait of [0, 60_000, 10 * 60_000, HOUR]) {
      await service.pass(wait);
      const response = await service.stats('btc');
      expect([response.status, response.source, response.record?.block_height]).toEqual([
        200,
        'bitcoin-stats',
        800_000,
      ]);
      expect(response.header('cache-status')).toMatch(/^quotient; fwd=stale; .*detail=/);
      expect(ttlOf(response.header('cache-status'))).toBeLessThanOrEqual(0);
      expect(response.header('cache-control')).not.toMatch(/max-age=[1-9]\d{3}/);
    }
  });

  test('never replace newer figures', async () => {
    const { record } = await service.stats('btc');
    freeze();
    failMempool();
    await service.pass(3 * HOUR);
    const response = await service.stats('btc');
    expect([response.status, response.record?.time]).toEqual([200, record?.time]);
    expect(response.header('cache-status')).toMatch(/fwd=stale/);
  });
});
