import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, startOfDate } from '#core/clock';
import { mergeDays } from '#prices/imports/merge-days';
import { IMPORT_COLUMNS, readImportRow } from '#prices/imports/price-file';
import { isMidnightSample } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';

const NOW = Date.parse('2024-06-01T12:00:00Z');
const read = (line: string) => readImportRow(line.split(','), IMPORT_COLUMNS, NOW);

describe('a row of an export', () => {
  it('reads every double above 0 to its last bit, whatever the notation', () => {
    const figure = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
    const written = fc.constantFrom(
      (value: number) => String(value),
      (value: number) => value.toExponential(),
      (value: number) => value.toPrecision(17),
    );
    fc.assert(
      fc.property(figure, written, (value, write) => {
        const row = read(`2017-04-02 00:00:00 UTC,${write(value)},${write(value)},${write(value)}`);
        expect(row).toMatchObject({ sample: { price: value, marketCap: value, volume: value } });
      }),
    );
  });

  it.each([
    ['2017-04-02 00:00:00 UTC,0,2,3', 'price must be above 0'],
    ['2017-04-02 00:00:00 UTC,1,2', 'has 3 columns instead of 4'],
    ['2017-04-02 00:00:00 UTC,1,2,3,4', 'has 5 columns instead of 4'],
    ['2017-02-29 00:00:00 UTC,1,2,3', 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC'],
    ['02.04.2017,1,2,3', 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC'],
    ['2017-04-02 24:00:00 UTC,1,2,3', 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC'],
    ['01/02/2024,1,2,3', 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC'],
    ['2024-06-02 00:00:00 UTC,1,2,3', 'snapped_at is in the future'],
    ['1970-01-01 00:00:00 UTC,1,2,3', 'snapped_at is before 2009-01-03, the first block of Bitcoin'],
    ['2017-04-02 00:00:00 UTC,-1,2,3', 'price must not be negative'],
    ['2017-04-02 00:00:00 UTC,1,NaN,3', 'market_cap must be a number'],
    ['2017-04-02 00:00:00 UTC,1,2,Infinity', 'total_volume must be a number'],
    ['2017-04-02 00:00:00 UTC,1,2,0x10', 'total_volume must be a number'],
    ['2017-04-02 00:00:00 UTC,1,2,1e309', 'total_volume is too large'],
  ])('%s: %s', (line, fault) => {
    expect(read(line)).toMatchObject({ fault });
  });
});

describe('merging days', () => {
  const day = (at: string, price: number, final = true, source: MarketSourceName = 'coingecko') => ({
    at: Date.parse(at),
    price,
    marketCap: null,
    volume: 1,
    final,
    source,
  });

  const property = fc.array(
    fc.record({
      date: fc.integer({ min: 0, max: 3 }),
      late: fc.oneof(fc.integer({ min: 0, max: HOUR - 1 }), fc.integer({ min: HOUR, max: DAY - 1 })),
      price: fc.integer({ min: 1, max: 3 }),
      replace: fc.boolean(),
    }),
  );
  it('keeps one row per date, at midnight if there is one, in any order of the rows', () => {
    fc.assert(
      fc.property(property, (rows) => {
        let stored: ReturnType<typeof day>[] = [];
        for (const { date, late, price, replace } of rows) {
          const at = Date.parse('2024-05-01') + date * DAY + late;
          const given = { ...day('2024-05-01', price, isMidnightSample(at)), at };
          const { gone, samples } = mergeDays(stored, [given], replace);
          const written = new Set([...gone, ...samples.map((one) => one.at)]);
          stored = [...stored.filter((one) => !written.has(one.at)), ...samples].sort((a, b) => a.at - b.at);
        }
        const midnights = rows.filter(({ late }) => late < HOUR).map(({ date }) => date);
        const dates = [...new Set(rows.map(({ date }) => date))].sort();
        expect(stored.map(({ at }) => (startOfDate(at) - Date.parse('2024-05-01')) / DAY)).toEqual(dates);
        expect(stored.map(({ at }) => isMidnightSample(at))).toEqual(dates.map((date) => midnights.includes(date)));
      }),
    );
  });
});
