import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR, type Span } from '#core/clock';
import { createCandleStore } from '#prices/candles/candle-store';
import type { StoredCandle } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const BEGIN = Date.parse('2026-05-15T00:00:00Z');
const HOURS = { token: 'bitcoin', interval: 'hour' } as const;
const WHAT = 'candles:bitcoin:hour';
const ALL = { from: 0, thru: BEGIN + 1000 * HOUR };

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const candle = (hour: number, close: number, settled = true): StoredCandle => ({
  ...{ at: BEGIN + hour * HOUR, open: 1.1, high: 1e12 + 0.1, low: 1e-9, close, volume: 0, settled },
});
const store = () => createCandleStore(database.prisma);
const span = (from: number, hours: number) => ({
  from: BEGIN + from * HOUR,
  thru: BEGIN + (from + hours) * HOUR - 1,
});
const record = (candles: readonly StoredCandle[], covers = span(0, 10)) =>
  store().record('kraken', WHAT, 'bitcoin', [{ interval: 'hour', rows: candles, covers }], BEGIN);
const read = (span: Span, most = 1000, interval: Interval = 'hour') =>
  store()
    .rowsFrom([{ token: 'bitcoin', interval, from: span.from }], span, most)
    .then(([rows]) => rows ?? []);
const closes = async () => (await read(ALL)).map(({ at, close }) => [(at - BEGIN) / HOUR, close]);

test('stored candles are read exactly, in order, in pages', async () => {
  const given = [candle(0, 0.1 + 0.2), candle(1, 1 / 3, false), candle(2, 123456.789)];
  await record(given);
  expect(await read(ALL)).toEqual(given);
  expect(await read(span(1, 1))).toEqual([given[1]]);
  expect(await read(ALL, 2)).toEqual(given.slice(0, 2));
  expect(await read(ALL, 2, 'day')).toEqual([]);
});

test('settled candles stay; unsettled ones are replaced, or deleted by a span that lacks them', async () => {
  await record([candle(0, 1), candle(1, 1, false), candle(2, 1, false)]);
  await record([candle(0, 2), candle(1, 2)]);
  expect(await closes()).toEqual([
    [0, 1],
    [1, 2],
  ]);
  await record([candle(1, 3)], span(0, 1));
  expect(await closes()).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test('adjacent spans are merged, separately from those of samples', async () => {
  await record([], span(0, 10));
  await record([], span(10, 5));
  await record([], span(20, 5));
  const known = await store().coverage();
  expect(known.map((row) => row.span).sort((a, b) => a.from - b.from)).toEqual([span(0, 15), span(20, 5)]);
  expect(await database.prisma.coverage.count()).toBe(0);
});

test('implausible rows are not read', async () => {
  await record([candle(0, 1)]);
  for (const [hour, low, volume] of [
    [1, 'NaN', '0'],
    [2, '0', '0'],
    [3, '5', '0'],
    [4, '0.5', 'Infinity'],
    [5, '0.5', '-1'],
  ] as const) {
    await database.prisma.$executeRaw`
      INSERT INTO candle (token, grain, at, open, high, low, close, volume, source, settled)
      VALUES ('bitcoin', 'hour', ${new Date(BEGIN + hour * HOUR)}::timestamptz, 1, 2, ${low}::text::float8, 1,
        ${volume}::text::float8, 'kraken', true)`;
  }
  expect(await closes()).toEqual([[0, 1]]);
});

test('a file is stored completely or not at all', async () => {
  async function* broken() {
    yield [candle(0, 1)];
    throw new Error('the file ends here');
  }
  const series = { ...HOURS, source: 'kraken' } as const;
  const covers = () => span(0, 1);
  await expect(store().import('candles-import:bitcoin:hour', series, broken(), covers, BEGIN)).rejects.toThrow(
    'the file ends here',
  );
  expect(await closes()).toEqual([]);
  expect(await store().coverage()).toEqual([]);
  async function* whole() {
    yield [candle(0, 1)];
    yield [candle(1, 1)];
  }
  expect(await store().import('candles-import:bitcoin:hour', series, whole(), covers, BEGIN)).toBe(2);
  expect(await closes()).toHaveLength(2);
});
