import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { withSemicolons } from '#prices/history/series-text';
import { createImport } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createPointStore } from '#prices/series/point-store';
import { seriesToCsv } from '../history/series-to-csv.ts';
import { clock, midnight, none, openImportArchive } from './import-archive.ts';

let archive: Awaited<ReturnType<typeof openImportArchive>>;
beforeAll(async () => {
  archive = await openImportArchive();
});
afterEach(() => archive.clear());
afterAll(() => archive?.close());

it('accepts a byte order mark, CRLF, an empty line, a null, a late row and small numbers', async () => {
  const result = await archive.takeFile(new URL('../../samples/export.csv', import.meta.url).pathname);
  expect(result).toMatchObject({ ended: 'whole', counts: { ...none, read: 3, added: 3 }, bad: [] });
  expect(await archive.samples()).toEqual([
    { at: midnight('2016-02-27'), price: 5.25, marketCap: 401000000.5, volume: 9_000_000 },
    { at: Date.parse('2016-02-28T00:05:11Z'), price: 5.5, marketCap: null, volume: 8_500_000 },
    { at: midnight('2016-03-01'), price: 0.1, marketCap: 0, volume: 1e-7 },
  ]);
  expect(await archive.covered(), 'the single missing day is covered').toEqual(['2016-02-27/2016-03-01']);
});

it.each([
  ['commas', (csv: string) => csv],
  ['semicolons and decimal commas', withSemicolons],
])("accepts the service's own CSV with %s", async (_name, write) => {
  await archive.takeFile(new URL('../../samples/export.csv', import.meta.url).pathname);
  const stored = await archive.samples();
  const path = join(archive.directory, 'own.csv');
  await writeFile(path, write(seriesToCsv(stored)));
  await archive.clear();
  expect(await archive.takeFile(path)).toMatchObject({ counts: { read: 3, added: 3 }, bad: [] });
  expect(await archive.samples()).toEqual(stored);
});

it.each(['ascending', 'descending'])(
  "takes one row per date from the service's own CSV of minutes, %s",
  async (order) => {
    const minutes = Array.from({ length: 1500 }, (_, i) => ({
      at: midnight('2020-01-01') + i * 2 * 60_000,
      price: i + 1,
      marketCap: 2,
      volume: 3,
    }));
    const [header = '', ...lines] = seriesToCsv(minutes).trimEnd().split('\r\n');
    const path = join(archive.directory, 'minutes.csv');
    await writeFile(path, [header, ...(order === 'ascending' ? lines : lines.toReversed())].join('\n'));
    expect(await archive.takeFile(path)).toMatchObject({
      counts: { ...none, read: 1500, added: 3, skipped: 1497 },
      bad: [],
    });
    expect(await archive.samples()).toEqual([0, 720, 1440].map((i) => minutes[i]));
  },
);

it('rejects points in numbers of a file with semicolons, in which they may separate thousands', async () => {
  const path = join(archive.directory, 'thousands.csv');
  await writeFile(path, 'date;price;market_cap;total_volume\n2020-01-01;1.234;2;3\n2020-01-02;1,5;2;3\n');
  const { bad, counts } = await archive.takeFile(path);
  expect(bad).toEqual([{ line: 2, fault: 'price has two readings: write it without separators of thousands' }]);
  expect(counts).toMatchObject({ added: 1, bad: 1 });
});

it('identifies columns by their names', async () => {
  const path = join(archive.directory, 'reordered.csv');
  await writeFile(path, 'price,total_volume,snapped_at,market_cap\n1,2,2020-01-01 00:00:00 UTC,3\n');
  await archive.takeFile(path);
  expect(await archive.samples()).toEqual([{ at: midnight('2020-01-01'), price: 1, marketCap: 3, volume: 2 }]);
});

it('lists each bad line and imports the others', async () => {
  const path = new URL('../../samples/export-with-bad-lines.csv', import.meta.url).pathname;
  const { bad, counts } = await archive.takeFile(path);
  expect(bad).toEqual([
    { line: 3, fault: 'price must not be negative' },
    { line: 4, fault: 'has 3 columns instead of 4' },
    { line: 5, fault: 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC' },
    { line: 6, fault: 'price must be a number' },
    { line: 10, fault: 'snapped_at is in the future' },
    { line: 11, fault: 'price is too large' },
    { line: 12, fault: 'price must be a number' },
  ]);
  expect(counts).toEqual({ ...none, read: 12, added: 4, skipped: 1, bad: 7 });
  expect((await archive.samples()).map(({ price }) => price)).toEqual([5.25, 6.25, 6.5, 7.5]);
});

it('stops at the first bad line with --strict, and can list all bad lines in advance', async () => {
  const path = new URL('../../samples/export-with-bad-lines.csv', import.meta.url).pathname;
  const importer = createImport({ store: createPointStore(archive.database.prisma), clock });
  const bad: number[] = [];
  const { bad: count } = await importer.check(await openImportFile(path), {
    signal: new AbortController().signal,
    onBad: ({ line }) => bad.push(line),
  });
  expect([count, bad]).toEqual([7, [3, 4, 5, 6, 10, 11, 12]]);
  expect(await archive.samples()).toEqual([]);

  const { ended, counts } = await archive.takeFile(path, { strict: true });
  expect([ended, counts]).toEqual(['bad line', { ...none, read: 2, added: 1, bad: 1 }]);
  expect(await archive.covered()).toEqual(['2016-02-27/2016-02-27']);
});

it.each([
  [
    'a first line that is not a header',
    '2020-01-01 00:00:00 UTC,1,2,3\n',
    /has no header: the first line must be snapped_at/,
  ],
  ['unknown columns', 'snapped_at,price,market_cap\n', /has the wrong columns: .*snapped_at/],
  ['nothing', '', /is empty/],
  ['empty lines', '\n\r\n', /is empty/],
  ['one endless line', 'x'.repeat(3_000_000), /has a line that is too long/],
])('rejects a file with %s', async (_what, text, message) => {
  const path = join(archive.directory, 'refused.csv');
  await writeFile(path, text);
  await expect(openImportFile(path)).rejects.toThrow(message);
});
