import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createArchiveStore } from '#prices/latest/latest-store';
import { clock, dates, midnight, none, openImportArchive, row } from './import-archive.ts';

let archive: Awaited<ReturnType<typeof openImportArchive>>;
beforeAll(async () => {
  archive = await openImportArchive();
});
afterEach(() => archive.clear());
afterAll(() => archive?.close());

it('covers today only when its row is final, and is updated then', async () => {
  const lines = (price: number) => [row('2024-05-31'), row('2024-06-01', price)];
  const early = await archive.take(lines(1), { now: () => Date.parse('2024-06-01T00:39:59Z') });
  expect(early.counts).toEqual({ ...none, read: 2, added: 2 });
  expect(await archive.covered()).toEqual(['2024-05-31/2024-05-31']);

  const final = await archive.take(lines(2), { now: () => Date.parse('2024-06-01T00:40:00Z') });
  expect(final.counts).toEqual({ ...none, read: 2, changed: 1, skipped: 1 });
  expect(await archive.covered()).toEqual(['2024-05-31/2024-06-01']);
  const later = await archive.take(lines(3));
  expect(later.counts, 'the row is final').toEqual({ ...none, read: 2, skipped: 1, kept: 1 });
});

it('covers no gap of more than one day, and no gap with a bad row', async () => {
  await archive.take([
    row('2020-01-01'),
    row('2020-01-03'),
    row('2020-01-06'),
    '2020-01-07 00:00:00 UTC,-1,2,3',
    row('2020-01-08'),
    'gibberish',
    row('2020-01-10'),
  ]);
  expect(await archive.covered()).toEqual([
    '2020-01-01/2020-01-03',
    '2020-01-06/2020-01-06',
    '2020-01-08/2020-01-08',
    '2020-01-10/2020-01-10',
  ]);
});

it('covers a single missing day, even between two batches', async () => {
  const all = dates('2018-01-01', 1501);
  const { batches } = await archive.take(all.filter((_, i) => i !== 500).map((date) => row(date)));
  expect(batches).toEqual([500, 1000, 1500, 1500]);
  expect(await archive.covered()).toEqual([`2018-01-01/${all.at(-1)}`]);
});

it('has the same rows and spans in any order of the lines', async () => {
  const missing = new Set([3, 40, 41, 700, 901, 902, 903]);
  const lines = dates('2018-01-01', 1100)
    .filter((_, i) => !missing.has(i))
    .map((date, i) => row(date, i));
  await archive.take(lines);
  const expected = { samples: await archive.samples(), covered: await archive.covered() };
  expect(expected.covered).toHaveLength(3);

  const shuffled = fc.shuffledSubarray(lines, { minLength: lines.length });
  await fc.assert(
    fc.asyncProperty(shuffled, async (order) => {
      await archive.clear();
      await archive.take(order);
      expect({ samples: await archive.samples(), covered: await archive.covered() }).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});

it('covers the imported part when it is interrupted, and the other part when it is repeated', async () => {
  const lines = dates('2018-01-01', 1300).map((date) => row(date));
  const first = await archive.take(lines, { stopAfter: 1 });
  expect([first.ended, first.counts.added]).toEqual(['interrupted', 500]);
  expect(await archive.covered()).toEqual(['2018-01-01/2019-05-15']);

  const second = await archive.take(lines);
  expect([second.ended, second.counts]).toEqual(['whole', { ...none, read: 1300, skipped: 500, added: 800 }]);
  expect(await archive.covered()).toEqual(['2018-01-01/2021-07-23']);
});

it('merges with the spans that the service has fetched', async () => {
  const store = createArchiveStore(archive.database.prisma);
  const span = { from: midnight('2020-01-03'), thru: midnight('2020-01-05') - 1 };
  await store.record(
    'coingecko',
    'daily:ethereum',
    'ethereum',
    [{ interval: 'day', rows: [], covers: span }],
    clock.now(),
  );
  await archive.take([row('2020-01-01'), row('2020-01-02'), row('2020-01-05')]);
  expect(await archive.covered()).toEqual(['2020-01-01/2020-01-05']);
});
