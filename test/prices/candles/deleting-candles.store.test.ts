import { afterEach, expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { createCandleStore } from '#prices/candles/candle-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { createPurge } from '#prices/retention';
import { createPurgeStore } from '#prices/series/purge-store';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());

const NOW = '2026-05-15T14:42:25.300Z';
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
/** A date for which Kraken no longer serves candles. */
const OLD = date('2020-01-01');
const MAY = [date('2026-05-01'), date('2026-05-14')] as const;

async function openAt(env: Record<string, string> = {}) {
  const clock = createTestClock(NOW);
  opened = await openTestMarket(clock, { env });
  const { database, candles, sandbox } = opened;

  /** Deletes a source's data. Returns the numbers of deleted candles and coverage spans. */
  async function purge(source: MarketSourceName, before?: number) {
    const sum = { candles: 0, spans: 0 };
    for await (const purged of createPurge({ store: createPurgeStore(database.prisma), clock })({
      source,
      before,
    })) {
      sum.candles += purged.candles;
      sum.spans += purged.spans;
    }
    return sum;
  }

  /** Daily candles of May, with the calls that they caused and the gaps. */
  async function may(interval: 'hourly' | 'daily' = 'daily', service = candles) {
    const before = sandbox.calls.length;
    const { gaps, body } = await service.range('bitcoin', interval, ...MAY, 'json');
    await service.idle();
    const received = JSON.parse(String(body.identity.payload)) as { date: string }[];
    return { first: received[0]?.date, count: received.length, gaps, calls: sandbox.calls.length - before };
  }
  const coverage = () => createCandleStore(database.prisma).coverage();
  return { clock, database, candles, purge, may, coverage };
}

test('all candles of a source are deleted on every process, and fetched again on request', async () => {
  const { clock, database, candles, purge, may, coverage } = await openAt();
  const other = await opened.openAnother();
  expect(await may()).toMatchObject({ count: 14, gaps: [] });
  const imported = {
    interval: 'day',
    rows: [{ at: OLD, open: 2, high: 3, low: 1, close: 2, volume: 1, final: true }],
    covers: { from: OLD, thru: OLD + DAY - 1 },
  } as const;
  const store = createCandleStore(database.prisma);
  await store.record('kraken', 'candles-import:bitcoin:day', 'bitcoin', [imported], clock.now());
  const old = (service = candles) => service.range('bitcoin', 'daily', OLD, OLD, 'json');
  for (const one of [opened, other]) {
    await one.poll();
    expect((await old(one.candles)).gaps).toEqual([]);
  }
  const stored = await database.prisma.candle.count();

  expect(await purge('coingecko')).toEqual({ candles: 0, spans: 0 });
  expect(await database.prisma.candle.count()).toBe(stored);
  expect(await purge('kraken')).toEqual({ candles: stored, spans: 2 });
  expect(await database.prisma.candle.count()).toBe(0);
  expect(await coverage()).toEqual([]);

  for (const one of [opened, other]) {
    await one.poll();
    await expect(old(one.candles)).rejects.toMatchObject({ code: 'no_data' });
  }
  expect(await may()).toMatchObject({ count: 14, gaps: [] });
  await other.poll();
  await purge('kraken');
  opened.sandbox.faults.always({ kind: 'status', status: 403 }, { path: '/0/public' });
  for (const { candles: service, poll } of [{ candles, poll: opened.poll }, other]) {
    await poll();
    await expect(may('daily', service)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  }
});

test('the retention: old candles are not stored, and the gap is not requested again', async () => {
  const { clock, database, may } = await openAt({ MARKET_RETENTION: 'kraken=60h' });
  const oldest = async () => {
    const { _min } = await database.prisma.candle.aggregate({ _min: { at: true } });
    return new Date(_min.at ?? Number.NaN).toISOString();
  };
  const gaps = ['2026-05-01T00:00:00.000Z/2026-05-13T02:59:59.999Z'];
  const hours = { first: 'Wed, 13 May 2026 03:00:00 GMT', count: 45, gaps };
  expect(await may('hourly')).toMatchObject(hours);
  expect(await oldest()).toBe('2026-05-13T03:00:00.000Z');
  clock.advance(MINUTE);
  expect(await may('hourly')).toEqual({ ...hours, calls: 0 });
  // Days start before the retained part starts.
  expect(await may()).toMatchObject({
    first: 'Thu, 14 May 2026 00:00:00 GMT',
    gaps: ['2026-05-01/2026-05-13'],
  });
  await expect(opened.candles.range('bitcoin', 'hourly', MAY[0], MAY[0] + DAY, 'json')).rejects.toMatchObject({
    code: 'no_data',
    members: { gaps: ['2026-05-01T00:00:00.000Z/2026-05-02T23:59:59.999Z'] },
  });
});
