import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES, type TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { openLog } from '#open';
import { type ArchiveCache, openArchiveCache } from '#prices/latest/latest-cache';
import { createArchiveStore, createFailoverStore } from '#prices/latest/latest-store';
import { INTERVALS } from '#prices/model/interval';
import { firstSample, samplesOf } from '#prices/model/series';
import type { PointUpdate } from '#prices/series/sql-store';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { plausibleTimes } from '#upstream/items/plausible';
import { createVersionWatcher } from '#upstream/version-watcher';
import { createTestClock } from '../../../fixtures/clock.ts';
import { builtIn } from '../../../fixtures/tokens.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount } from '../../support/long.ts';
import { storedRows } from '../../support/service/stored-rows.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
let database: TestDatabase;
/** The archive with every token loaded. */
async function open(clock = createTestClock(NOW)) {
  const store = createArchiveStore(database.prisma);
  const failover = createFailoverStore(database.prisma);
  const versions = createVersionWatcher(createRefreshStore(database.prisma));
  const archive = await openArchiveCache({
    store,
    failover,
    versions,
    catalogue: builtIn,
    clock,
    log: openLog('silent'),
  });
  await Promise.all(BUILT_IN_NAMES.map(archive.load));
  return archive;
}
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const row = (at: number, price: number, final = false) => ({
  at,
  price,
  marketCap: price * 10,
  volume: null,
  final,
});
const rowsOf = (archive: ArchiveCache, token: TokenName, interval: (typeof INTERVALS)[number]) => [
  ...samplesOf(archive.series(token, interval).slice(0, Number.POSITIVE_INFINITY)),
];

/** Expects that memory and store have the same content. */
async function expectSame(archive: ArchiveCache): Promise<void> {
  const store = createArchiveStore(database.prisma);
  for (const token of BUILT_IN_NAMES) {
    for (const interval of INTERVALS) {
      const stored = await storedRows(store, token, interval, plausibleTimes(NOW));
      expect(rowsOf(archive, token, interval)).toEqual(stored.map(({ final: _settled, ...sample }) => sample));
    }
  }
}

describe('the archive in memory', () => {
  test('loses no row when two processes record many concurrently', async () => {
    const processes = [await open(), await open()];
    const written: [TokenName, number][] = [];
    const work = Array.from({ length: 60 }, async (_, i) => {
      const token = BUILT_IN_NAMES[i % BUILT_IN_NAMES.length] as TokenName;
      const process = processes[i % processes.length] as ArchiveCache;
      const at = NOW - (i + 1) * 20 * MINUTE;
      const day = Math.floor(NOW / DAY) * DAY - i * DAY;
      written.push([token, at]);
      const minute: PointUpdate = { interval: 'minute', rows: [row(at, i + 1)] };
      const days: PointUpdate = {
        interval: 'day',
        rows: [row(day, i + 1, true)],
        covers: { from: day, thru: day + DAY - 1 },
      };
      const what = i % 3 === 0 ? (`daily:${token}` as const) : (`chart:${token}` as const);
      await process.record('coingecko', what, token, what.startsWith('daily') ? [days, minute] : [minute], NOW);
      await processes[(i + 1) % 2]?.sync();
    });
    await Promise.all(work);
    await Promise.all(processes.map((process) => process.sync()));
    for (const process of processes) {
      await expectSame(process);
      for (const [token, at] of written) {
        expect(firstSample(process.series(token, 'minute').slice(at, at))?.at).toBe(at);
      }
      const days = BUILT_IN_NAMES.flatMap((token) => rowsOf(process, token, 'day'));
      expect(days).toHaveLength(20);
    }
    expect(processes[0]?.version('latest')).toBe(0);
  });

  test('of a process that has not polled for days loads the data stored in the meantime', async () => {
    const clock = createTestClock(NOW);
    const [first, second] = [await open(clock), await open(clock)];
    const record = () =>
      first.record(
        'coingecko',
        'chart:bitcoin',
        'bitcoin',
        [{ interval: 'minute', rows: [row(clock.now(), 1)] }],
        clock.now(),
      );
    await record();
    await second.sync();
    for (let day = 0; day < 3; day++) {
      clock.advance(DAY);
      await record();
    }
    await second.sync();
    const days = rowsOf(second, 'bitcoin', 'minute').map(({ at }) => (at - NOW) / DAY);
    expect(days).toEqual([0, 1, 2, 3]);
  });

  test('equals the store after random records in random order', async () => {
    const [first, second] = [await open(), await open()];
    const sample = fc.record({
      ago: fc.integer({ min: 0, max: 1440 }),
      price: fc.double({ min: 0, max: 1e6, noNaN: true }),
      final: fc.boolean(),
    });
    const record = fc.record({
      token: fc.constantFrom(...BUILT_IN_NAMES.slice(0, 2)),
      interval: fc.constantFrom('minute' as const, 'hour' as const),
      samples: fc.uniqueArray(sample, { selector: ({ ago }) => ago, maxLength: 6 }),
      covers: fc.boolean(),
      bySecond: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (records) => {
        for (const { token, interval, samples, covers, bySecond } of records) {
          const rows = samples.map(({ ago, price, final }) => row(NOW - ago * MINUTE, price, final));
          const update: PointUpdate = {
            interval,
            rows: rows.sort((a, b) => a.at - b.at),
            ...(covers && { covers: { from: NOW - DAY, thru: NOW } }),
          };
          await (bySecond ? second : first).record('coingecko', `chart:${token}`, token, [update], NOW);
        }
        await Promise.all([first.sync(), second.sync()]);
        await expectSame(first);
        await expectSame(second);
      }),
      { numRuns: amount(6, 50) },
    );
  });

  test('merges coverage from every process', async () => {
    const [first, second] = [await open(), await open()];
    const day = NOW - DAY;
    const cover = (process: ArchiveCache, from: number, thru: number) =>
      process.record(
        'coingecko',
        'hours:bitcoin',
        'bitcoin',
        [{ interval: 'hour', rows: [], covers: { from: day + from, thru: day + thru } }],
        NOW,
      );
    await Promise.all([cover(first, 0, HOUR - 1), cover(second, HOUR, 2 * HOUR), cover(first, 5 * HOUR, 6 * HOUR)]);
    await cover(second, 30 * MINUTE, 90 * MINUTE);
    await first.sync();
    const spans = [
      { from: day, thru: day + 2 * HOUR },
      { from: day + 5 * HOUR, thru: day + 6 * HOUR },
    ];
    // The responses contained no samples.
    for (const process of [first, second]) {
      expect(process.missing('bitcoin', 'hour')).toEqual(spans);
      expect(process.coverage('bitcoin', 'hour')).toEqual([]);
    }
    expect(first.missing('bitcoin', 'day')).toEqual([]);
  });

  test('keeps times to the millisecond and values to their last digit', async () => {
    const archive = await open();
    const figures = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
    let at = NOW - DAY;
    await fc.assert(
      fc.asyncProperty(figures, figures, async (price, volume) => {
        at += 61_234;
        const sample = { at, price: price + 0, marketCap: null, volume: volume + 0 };
        await archive.record(
          'coingecko',
          'chart:bitcoin',
          'bitcoin',
          [{ interval: 'minute', rows: [{ ...sample, final: true }] }],
          NOW,
        );
        expect(archive.newest('bitcoin')).toEqual({ ...sample, source: 'coingecko' });
      }),
      { numRuns: amount(15, 200) },
    );
  });
});
