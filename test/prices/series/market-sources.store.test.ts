import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createImport } from '#prices/imports/import';
import { IMPORT_COLUMNS } from '#prices/imports/price-file';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { Interval } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, sourcesPreferredOver } from '#prices/model/market-sources';
import { createPurge } from '#prices/retention';
import { createPointStore } from '#prices/series/point-store';
import { createPurgeStore } from '#prices/series/purge-store';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount, longTimeout } from '../../support/long.ts';

const SLOTS = 12;
const FIRST = Date.parse('2026-01-01T00:00:00Z');
const clock = createTestClock(FIRST + 400 * DAY);
const SLOT = { hour: HOUR, day: DAY } as const;
type Series = keyof typeof SLOT;

const source = fc.constantFrom(...MARKET_SOURCES);
const series = fc.constantFrom<Series[]>('hour', 'day');
const slot = fc.nat({ max: SLOTS - 1 });
/** In hours after the first instant. */
const instant = fc.oneof(
  slot,
  slot.map((days) => days * 24),
  fc.nat({ max: SLOTS * 24 }),
);
/** One sample: its slot, and its delay in the slot, in minutes. */
const samples = fc.uniqueArray(fc.record({ slot, late: fc.constantFrom(0, 0, 1, 7), final: fc.boolean() }), {
  selector: (one) => one.slot,
  maxLength: SLOTS,
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), source, series, samples, from: slot }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('quote' as const), source, series, samples }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failure' as const), source, series, samples }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('import' as const), source, samples, replace: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('purge' as const),
      source,
      before: fc.option(instant, { nil: undefined }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Drawn = Extract<Step, { kind: 'quote' }>['samples'];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const startOf = (series: Series, place: number) => FIRST + place * SLOT[series];
const slotAt = (series: Series, at: number) => Math.floor((at - FIRST) / SLOT[series]);

/** The archive, and all data that the sources have reported. */
function openModel() {
  const store = createArchiveStore(database.prisma);
  const importer = createImport({ store: createPointStore(database.prisma), clock });
  const purge = createPurge({ store: createPurgeStore(database.prisma), clock });
  let price = 0;
  /** Every reported price, with its source and time. */
  const received = new Set<string>();
  /** The slots that each source has covered, and whether the slot had a sample. */
  const all = new Map<string, boolean>();
  const key = (source: MarketSourceName, series: Series, place: number) => `${source},${series},${place}`;

  /** Samples with prices that no source has reported before. */
  const drawn = (source: MarketSourceName, series: Series, some: Drawn) =>
    some
      .map(({ slot, late, final }) => ({ at: startOf(series, slot) + late * 60_000, final }))
      .sort((a, b) => a.at - b.at)
      .map((one) => {
        price += 1;
        received.add(`${source},${series},${one.at},${price}`);
        return { ...one, price, marketCap: null, volume: null };
      });

  async function respond({ source, series, samples, from }: Extract<Step, { kind: 'answer' }>) {
    const given = drawn(
      source,
      series,
      samples.filter(({ slot }) => slot >= from),
    );
    const covers = { from: startOf(series, from), thru: startOf(series, SLOTS) - 1 };
    const updates = [{ interval: series, rows: given, covers }];
    await store.record(source, `daily:bitcoin`, 'bitcoin', updates, clock.now());
    for (let place = from; place < SLOTS; place++)
      all.set(
        key(source, series, place),
        given.some(({ at }) => slotAt(series, at) === place),
      );
  }

  async function quote({ source, series, samples }: Extract<Step, { kind: 'quote' }>) {
    const updates = [{ interval: series, rows: drawn(source, series, samples) }];
    await store.record(source, 'chart:bitcoin', 'bitcoin', updates, clock.now());
  }

  /** The second part of an update fails, so nothing is stored. */
  async function fail({ source, series, samples }: Extract<Step, { kind: 'failure' }>) {
    const known = new Set(received);
    const given = drawn(source, series, samples);
    const covers = { from: startOf(series, 0), thru: startOf(series, SLOTS) - 1 };
    const updates = [
      { interval: series, rows: given, covers },
      { interval: 'century' as Interval, rows: given },
    ];
    await expect(store.record(source, 'chart:bitcoin', 'bitcoin', updates, clock.now())).rejects.toThrow();
    received.clear();
    for (const one of known) received.add(one);
  }

  async function importDays({ source, samples, replace }: Extract<Step, { kind: 'import' }>) {
    const given = drawn(source, 'day', samples);
    const file = {
      columns: [...IMPORT_COLUMNS, 'source' as const],
      decimal: '.' as const,
      async *lines() {
        for (const [i, { at, price }] of given.entries())
          yield { line: i + 2, fields: [new Date(at).toISOString(), String(price), '', '', source] };
      },
    };
    const silent = { onBad: () => undefined, onKept: () => undefined, onBatch: () => undefined };
    const options = { replace, strict: true, signal: new AbortController().signal, ...silent };
    expect(await importer.run('bitcoin', file, options)).toMatchObject({ ended: 'whole', bad: 0 });
    const places = new Set(given.map(({ at }) => slotAt('day', at)));
    for (const place of places) all.set(key(source, 'day', place), true);
    for (const place of places)
      if (!places.has(place + 1) && places.has(place + 2)) all.set(key(source, 'day', place + 1), false);
  }

  async function purgeSource({ source, before }: Extract<Step, { kind: 'purge' }>) {
    const until = before === undefined ? undefined : startOf('hour', before);
    const others = { where: { source: { not: source } } };
    const kept = await database.prisma.point.count(others);
    for await (const _ of purge({ source, before: until }));
    expect(await database.prisma.point.count(others)).toBe(kept);
    for (const one of all.keys()) {
      const [who, series = '', place] = one.split(',');
      const start = startOf(series as Series, Number(place));
      if (who === source && (until === undefined || start < until)) all.delete(one);
    }
    const where = { source, ...(until !== undefined && { at: { lt: new Date(until) } }) };
    expect(await database.prisma.point.count({ where })).toBe(0);
  }

  /** Expects that every row was reported with its values, and that no coverage claims missing rows. */
  async function check(): Promise<void> {
    const rows = await database.prisma.point.findMany();
    for (const { source, interval, at, price, final, provisional } of rows) {
      expect(received).toContain(`${source},${interval},${at.getTime()},${price}`);
      expect(provisional).toBe(source !== MARKET_SOURCES[0]);
      expect(final && provisional).toBe(false);
    }
    const coverage = await store.coverage();
    for (const { interval, source, span } of coverage) {
      const series = interval as Series;
      for (let place = slotAt(series, span.from - 1) + 1; startOf(series, place + 1) - 1 <= span.thru; place++) {
        const hadSample = all.get(key(source, series, place));
        expect(hadSample, `${source} of ${series} ${place} was reported, and not purged`).toBeDefined();
        const mine = rows.filter(({ interval, at }) => interval === series && slotAt(series, at.getTime()) === place);
        // The exchanges have the same rank, so that each replaces the rows of the others.
        const byRight = mine.filter((row) => !isBefore(source, row.source));
        if (hadSample) expect(byRight.length, `${source} of ${series} ${place}`).toBeGreaterThan(0);
        const others = coverage.filter((one) => one.interval === series && one.source !== source);
        const at = startOf(series, place);
        for (const other of others) expect(other.span.from <= at && at <= other.span.thru).toBe(false);
        // No lower-priority row may exist for an hour for which the primary source has reported a sample.
        if (series === 'hour' && hadSample) expect(mine.filter((row) => isBefore(source, row.source))).toEqual([]);
      }
    }
  }

  return {
    check,
    async take(step: Step): Promise<void> {
      if (step.kind === 'answer') await respond(step);
      else if (step.kind === 'quote') await quote(step);
      else if (step.kind === 'failure') await fail(step);
      else if (step.kind === 'import') await importDays(step);
      else await purgeSource(step);
    },
  };
}

const isBefore = (a: string, b: string) => sourcesPreferredOver(b as MarketSourceName).includes(a as MarketSourceName);

/** A sample replaces another source's sample within that source's coverage. Then the new sample is deleted. */
const REPLACED_AND_PURGED: Step[] = [
  {
    kind: 'answer',
    source: 'kraken',
    series: 'hour',
    samples: [{ slot: 5, late: 0, final: false }],
    from: 0,
  },
  { kind: 'quote', source: 'coingecko', series: 'hour', samples: [{ slot: 5, late: 0, final: false }] },
  { kind: 'purge', source: 'coingecko', before: undefined },
];

/** Nothing is added where a preferred source has coverage, even without a sample. */
const REPORTED_AS_EMPTY: Step[] = [
  {
    kind: 'answer',
    source: 'coingecko',
    series: 'hour',
    samples: [{ slot: 5, late: 0, final: true }],
    from: 0,
  },
  {
    kind: 'answer',
    source: 'kraken',
    series: 'hour',
    samples: [{ slot: 7, late: 0, final: false }],
    from: 0,
  },
];

test('rows and coverage are correct after random reports of two sources, imports and purges', {
  timeout: longTimeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      await database.prisma.$executeRaw`TRUNCATE point, point_coverage, latest_price, refresh`;
      const model = openModel();
      for (const step of steps) {
        await model.take(step);
        await model.check();
      }
    }),
    { numRuns: amount(20, 1000), examples: [[REPLACED_AND_PURGED], [REPORTED_AS_EMPTY]] },
  );
});
