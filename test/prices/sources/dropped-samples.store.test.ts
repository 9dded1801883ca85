import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, HOUR, iso } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { METRICS_ON, openScrape, type Scrape } from '../../support/service/metrics.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const NOW = Date.parse('2026-05-15T14:10:06Z');
const clock = createTestClock(NOW);
let upstream: UpstreamServer;
let service: Service;
let scrape: Scrape;
let key: string;

beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ status: 500, body: '' }));
  service = await startService({
    clock,
    settings: {
      ...METRICS_ON,
      COINGECKO_URL: upstream.url,
      BURST_PER_SECOND: '0',
      MARKET_SOURCES: 'coingecko',
    },
  });
  scrape = await openScrape(service);
  key = await service.register();
});
afterAll(async () => {
  await scrape?.close();
  await service?.close();
  await upstream?.close();
});

/** Advances the clock and polls, so that keys are accepted again. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  const status = async () => (await service.get('/v1/user/usage', { key })).status;
  await expect.poll(status, { timeout: 10_000 }).toBe(200);
}

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
const DAYS = '/v1/prices/history/days?tokenName=bitcoin&days=1';
const markets = (at: number) =>
  JSON.stringify(BUILT_IN_NAMES.map((id) => ({ id, current_price: 100, last_updated: iso(at) })));
const dropped = async () => (await scrape.series()).get('quotient_dropped_samples_total{upstream="coingecko"}');
const warnings = () => service.logLines.filter((line) => line.includes('items dropped'));

test('a source whose samples are all in the future has failed, and is used again when they are not', async () => {
  expect(await dropped()).toBe(0);
  upstream.follow(() => ({ body: markets(NOW + 3 * DAY) }));
  const refused = await service.get(LATEST, { key });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([502, 'upstream_invalid']);
  expect(await dropped()).toBe(1);
  expect(warnings().map((line) => JSON.parse(line))).toMatchObject([
    { upstream: 'coingecko', path: '/coins/markets', dropped: 1, reasons: ['too_late'] },
  ]);

  await pass(HOUR);
  upstream.follow(() => ({ body: markets(clock.now()) }));
  expect(await (await service.get(LATEST, { key })).json()).toMatchObject({ current_price: 100 });
});

test('a sample from the future is in no series, and is logged with one line per response', async () => {
  const now = clock.now();
  const prices = Array.from({ length: 20 }, (_, i) => [now - i * 300_000, 100]);
  const ahead = Array.from({ length: 7 }, (_, i) => [now + DAY + i, 100]);
  upstream.follow(({ path }) =>
    path.endsWith('markets')
      ? { body: markets(now) }
      : { body: JSON.stringify({ prices: [...prices, ...ahead], market_caps: [], total_volumes: [] }) },
  );
  const before = warnings().length;
  const [series] = (await (await service.get(DAYS, { key })).json()) as { prices: { date: string }[] }[];
  const times = (series?.prices ?? []).map(({ date }) => Date.parse(date));
  expect(times.length).toBeGreaterThanOrEqual(20);
  expect(Math.max(...times)).toBeLessThanOrEqual(now);
  expect(await dropped()).toBe(8);
  expect(warnings().length).toBe(before + 1);
});

test('8 MB of empty objects do not affect the service', async () => {
  await pass(DAY);
  upstream.follow(() => ({ body: `[${'{},'.repeat(2 ** 23 / 3)}{}]` }));
  const stale = await service.get(LATEST, { key });
  expect(stale.status).toBe(200);
  expect(stale.headers.get('cache-status')).toContain('too_large');
  expect((await service.get('/health/ready')).status).toBe(200);
});
