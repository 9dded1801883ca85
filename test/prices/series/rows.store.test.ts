import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openLog } from '#open';
import { openArchiveCache } from '#prices/latest/latest-cache';
import { createArchiveStore, createFailoverStore } from '#prices/latest/latest-store';
import { lastSample } from '#prices/model/series';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createVersionWatcher } from '#upstream/version-watcher';
import { builtIn } from '../../../fixtures/tokens.ts';
import { clock, dates, midnight, none, openImportArchive, row } from './import-archive.ts';

let archive: Awaited<ReturnType<typeof openImportArchive>>;
beforeAll(async () => {
  archive = await openImportArchive();
});
afterEach(() => archive.clear());
afterAll(() => archive?.close());

it('changes nothing when it is repeated', async () => {
  const lines = dates('2019-01-01', 1200).map((date, i) => row(date, (i + 1) / 7));
  expect((await archive.take(lines)).counts).toEqual({ ...none, read: 1200, added: 1200 });
  const before = await archive.samples();
  expect((await archive.take(lines)).counts).toEqual({ ...none, read: 1200, skipped: 1200 });
  expect(await archive.samples()).toEqual(before);
  expect(await archive.covered()).toEqual(['2019-01-01/2022-04-14']);
});

it('keeps a final row that differs and lists it; --replace stores the row of the file', async () => {
  await archive.take([row('2020-01-01', 1), row('2020-01-02', 2)]);
  const given = { at: midnight('2020-01-02'), price: 2.5, marketCap: 2, volume: 3 };
  const second = await archive.take([row('2020-01-01', 1), row('2020-01-02', 2.5), row('2020-01-03', 3)]);
  expect(second.counts).toEqual({ ...none, read: 3, added: 1, skipped: 1, kept: 1 });
  expect(second.kept).toMatchObject([{ stored: { at: given.at, price: 2 }, given }]);

  const third = await archive.take([row('2020-01-02', 2.5)], { replace: true });
  expect(third.counts).toEqual({ ...none, read: 1, changed: 1 });
  expect((await archive.samples()).map(({ price }) => price)).toEqual([1, 2.5, 3]);
});

it('has one row for a date if the file’s row has another second', async () => {
  await archive.take([row('2020-01-01', 1)]);
  const late = '2020-01-01 00:05:11 UTC,1,2,3';
  expect((await archive.take([late])).counts).toEqual({ ...none, read: 1, kept: 1 });
  expect((await archive.take([late], { replace: true })).counts).toEqual({ ...none, read: 1, changed: 1 });
  expect((await archive.samples()).map(({ at }) => at)).toEqual([Date.parse('2020-01-01T00:05:11Z')]);
});

it('does not change other tokens and intervals', async () => {
  await archive.take([row('2020-02-01', 1)], { token: 'arweave' });
  await archive.take([row('2020-02-01', 2)], { replace: true });
  expect((await archive.samples('arweave')).map(({ price }) => price)).toEqual([1]);
});

it('stores every double to its last bit', async () => {
  const figure = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
  const price = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
  const figures = fc.array(fc.tuple(price, figure, figure), { minLength: 200, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(figures, async (rows) => {
      await archive.clear();
      const all = dates('2018-01-01', rows.length);
      await archive.take(rows.map((row, i) => `${all[i]} 00:00:00 UTC,${row.join(',')}`));
      const stored = (await archive.samples()).map(({ price, marketCap, volume }) => [price, marketCap, volume]);
      expect(stored).toEqual(rows.map((row) => row.map((value) => value + 0)));
    }),
    { numRuns: 5 },
  );
});

it('makes running processes reload the rows', async () => {
  const store = createArchiveStore(archive.database.prisma);
  const failover = createFailoverStore(archive.database.prisma);
  const versions = createVersionWatcher(createRefreshStore(archive.database.prisma));
  const stores = { store, failover, versions };
  const cache = await openArchiveCache({ ...stores, catalogue: builtIn, clock, log: openLog('silent') });
  await cache.load('ethereum');
  await archive.take([row('2020-01-01', 1), row('2020-01-02', 2)]);
  await cache.sync();
  expect(lastSample(cache.series('ethereum', 'day').all())).toMatchObject({ price: 2 });
  expect(cache.coverage('ethereum', 'day')).toHaveLength(1);

  await archive.take([row('2020-01-02', 2.5)], { replace: true });
  await cache.sync();
  expect(lastSample(cache.series('ethereum', 'day').all())).toMatchObject({ price: 2.5 });
});
