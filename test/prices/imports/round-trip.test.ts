import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { createCandleImport } from '#prices/candles/candle-import';
import { candlesCsv } from '#prices/candles/candle-text';
import { withSemicolons } from '#prices/history/series-text';
import { intervalOf, openCandleFile } from '#prices/imports/candle-file';
import { openImportFile, readImportRow } from '#prices/imports/price-file';
import type { Candle } from '#prices/model/candle';
import { seriesToCsv } from '../history/series-to-csv.ts';
import { linesOf } from './lines-of.ts';

// Whatever the service writes as CSV, the imports read with the same figures.

const NOW = Date.parse('2024-06-01T12:00:00Z');
let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quotient-round-trip-'));
  path = join(directory, 'own.csv');
});
afterAll(() => rm(directory, { recursive: true }));

/** How a program may save the service's CSV again. */
const SAVED: ((csv: string) => string | Buffer)[] = [
  (csv) => csv,
  withSemicolons,
  (csv) => `\uFEFFsep=,\r\n${csv}`,
  (csv) => Buffer.from(`\uFEFF${csv.replaceAll(',', '\t')}`, 'utf16le'),
  (csv) => csv.replaceAll('\r\n', '\n').replace(/[^,\n]+/g, '"$&"'),
  (csv) => csv.replace(/^.*\r\n/, (header) => header.toUpperCase()),
];
const saved = fc.constantFrom(...SAVED);
const spacing = fc.constantFrom(MINUTE, HOUR, DAY);
const currency = fc.constantFrom(undefined, 'eur');
const figure = fc.double({ min: 1e-12, max: 1e15, noNaN: true });
const instants = (count: number, step: number) =>
  Array.from({ length: count }, (_, i) => Date.UTC(2024, 0, 1) + i * step);

it('prices of any interval', async () => {
  const sample = fc.record({ price: figure, marketCap: fc.option(figure), volume: fc.option(figure) });
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { minLength: 1 }), spacing, currency, saved, async (given, step, code, save) => {
      const samples = instants(given.length, step).map((at, i) => ({ at, ...given[i] }) as const);
      await writeFile(path, save(seriesToCsv(samples as Parameters<typeof seriesToCsv>[0], code)));
      const file = await openImportFile(path);
      expect(file.currency).toBe(code);
      const lines = await linesOf(file);
      expect(lines.map(({ fields }) => readImportRow(fields, file.columns, NOW, file.decimal))).toEqual(
        samples.map((one) => ({ sample: { ...one, source: 'coingecko' } })),
      );
    }),
    { numRuns: 60 },
  );
});

it('candles of any interval', async () => {
  const one = fc.tuple(figure, figure, figure, fc.option(figure, { nil: 0 }));
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 2 }), spacing, currency, saved, async (given, step, code, save) => {
      const length = step === MINUTE ? 5 * MINUTE : step;
      const candles: Candle[] = given.map(([open, close, other, volume], i) => {
        const at = Date.UTC(2024, 0, 1) + i * length;
        return { at, open, high: Math.max(open, close, other), low: Math.min(open, close, other), close, volume };
      });
      const column = (name: keyof Candle) => Float64Array.from(candles, (candle) => candle[name]);
      const columns = {
        ...{ at: column('at'), open: column('open'), high: column('high'), low: column('low') },
        ...{ close: column('close'), volume: column('volume') },
      };
      await writeFile(path, save([...candlesCsv(columns as Parameters<typeof candlesCsv>[0], code)].join('')));
      const stored: Candle[] = [];
      const importer = createCandleImport({
        clock: { now: () => NOW, elapsed: () => 0 },
        store: {
          async import(_what, _series, batches) {
            for await (const batch of batches) stored.push(...batch);
            return stored.length;
          },
        },
      });
      const file = await openCandleFile(path);
      expect(file.currency).toBe(code);
      const interval = await intervalOf(file);
      if (typeof interval === 'object') throw new Error(interval.fault);
      const options = { token: 'bitcoin', source: 'kraken', interval, allowHoles: false } as const;
      const bad: unknown[] = [];
      expect(await importer.check(file, options, (line) => bad.push(line))).toMatchObject({ bad: 0 });
      await importer.run(file, options);
      expect(stored).toEqual(candles.map((candle) => ({ ...candle, final: true })));
    }),
    { numRuns: 60 },
  );
});
