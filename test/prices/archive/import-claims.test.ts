import { expect, it } from 'vitest';
import { isoDate } from '#core/clock';
import { createImport } from '#prices/archive/import';
import { IMPORT_COLUMNS } from '#prices/archive/import-row';
import type { ImportStore } from '#prices/archive/import-store';
import type { ImportFile } from '#prices/archive/price-import';

const clock = { now: () => Date.parse('2024-06-01T12:00:00Z'), elapsed: () => 0 };
const BAD = 'soon';

/**
 * Imports rows with these dates, in this order. Returns the dates that it reads from the store, and the dates that it
 * claims to cover.
 */
async function claimed(dates: readonly string[], { strict = false } = {}) {
  let requested: string[] = [];
  const covered: string[] = [];
  const store: ImportStore = {
    async merge(_token, span, covers, merge) {
      if (span) {
        requested = [isoDate(span.from), isoDate(span.thru)];
        merge([]);
      }
      covered.push(
        ...covers.flatMap(({ spans }) => spans).map(({ from, thru }) => `${isoDate(from)}/${isoDate(thru)}`),
      );
    },
  };
  const file: ImportFile = {
    columns: IMPORT_COLUMNS,
    async *lines() {
      for (const [i, date] of dates.entries())
        yield { line: i + 2, fields: [date === BAD ? BAD : `${date} 00:00:00 UTC`, '1', '2', '3'] };
    },
  };
  const received = { onBad: () => undefined, onKept: () => undefined, onBatch: () => undefined };
  const options = { replace: false, strict, signal: new AbortController().signal, ...received };
  await createImport({ store, clock }).run('ethereum', file, options);
  return { requested, covered };
}

it('reads the dates from the earliest row to the latest, in any order of the rows', async () => {
  const { requested } = await claimed(['2024-05-03', '2024-05-01', '2024-05-05', '2024-05-02']);
  expect(requested).toEqual(['2024-05-01', '2024-05-05']);
});

it('claims a single missing date, but not the neighbours of a row before a line without a known date', async () => {
  const whole = ['2024-05-01', '2024-05-03', '2024-05-05'];
  expect((await claimed(whole)).covered).toEqual(['2024-05-01/2024-05-05']);
  const [first, second, third] = whole as [string, string, string];
  expect((await claimed([first, second, BAD, third])).covered).toEqual(whole.map((date) => `${date}/${date}`));
});

it('claims no missing date at the end if the last line is bad', async () => {
  const dates = ['2024-05-01', '2024-05-03', '2024-05-10'];
  const { covered } = await claimed([...dates, BAD, '2024-05-02'], { strict: true });
  expect(covered).toEqual(dates.map((date) => `${date}/${date}`));
});
