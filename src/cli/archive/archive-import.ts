import { command, wrongUsage } from '#cli/arguments';
import { interruption, printFirst } from '#cli/command-line';
import { servedToken, withDatabase } from '#cli/configured-database';
import { isoDate, systemClock } from '#core/clock';
import { createImport, type ImportCounts, type ImportSummary, type KeptRow } from '#prices/archive/import';
import { type BadLine, type CsvLines, ImportFileError, openCsvLines } from '#prices/archive/import-row';
import { createImportStore } from '#prices/archive/import-store';
import { openImportFile } from '#prices/archive/price-import';
import { CANDLE_COLUMNS, createCandleImport } from '#prices/candles/candle-import';
import { createCandleStore } from '#prices/candles/candle-store';
import type { Interval } from '#prices/model/interval';
import { EXIT, ExitError } from '#process/exit';

const MAX_BAD_LINES = 100;
const MAX_KEPT_ROWS = 20;

export const importUsage = `  npm run archive -- import <token> <file.csv> [--strict] [--replace]

    Imports a CSV file into the daily history: CoinGecko's export for a coin
    (snapped_at,price,market_cap,total_volume), or CSV from this service (date instead of snapped_at), also
    with semicolons.
    Rows without a source column count as CoinGecko's. Each date has one row: the row between 00:00 and
    01:00 UTC or, without such a row, another row of that date. The command can be run again, because it
    skips existing rows. <token> is a name or symbol from \`npm run tokens -- list\`.

    --strict   if a line is invalid, import nothing and exit with code 1
    --replace  overwrite settled rows that differ from the file. Without this option, these rows are kept and
               listed. Rows from a preferred source are always kept.
`;

const form = {
  options: { strict: { type: 'boolean', default: false }, replace: { type: 'boolean', default: false } },
  positionals: ['token', 'file.csv'],
} as const;

const FIGURES = { price: 'price', marketCap: 'market_cap', volume: 'total_volume' } as const;

function keptLine({ stored, given }: KeptRow): string {
  const differences = (['price', 'marketCap', 'volume'] as const)
    .filter((figure) => stored[figure] !== given[figure])
    .map((figure) => `${FIGURES[figure]} ${stored[figure] ?? 'none'}, in the file ${given[figure] ?? 'none'}`);
  if (stored.source !== given.source) differences.unshift(`source ${stored.source}, in the file ${given.source}`);
  const time = (at: number) => new Date(at).toISOString().slice(11, 19);
  if (stored.at !== given.at) differences.unshift(`snapped_at ${time(stored.at)}, in the file ${time(given.at)}`);
  return `kept ${isoDate(given.at)}: ${differences.join('; ')}`;
}

const totals = ({ read, added, changed, skipped, kept, bad }: ImportCounts) =>
  `${read} rows read: ${added} added, ${changed} changed, ${skipped} skipped (no new data), ${kept} kept ` +
  `(settled, but different), ${bad} invalid`;

const refused = (error: unknown) =>
  error instanceof ImportFileError ? new ExitError(error.message, EXIT.refused, error) : error;
const badLine = ({ line, fault }: BadLine) => `line ${line}: ${fault}`;

export const runImport = command(form, async ({ values, positionals: [text = '', path = ''] }) => {
  const file = await openImportFile(path).catch((error) => {
    throw refused(error);
  });
  const { strict, replace } = values;
  const signal = interruption();
  const exitCode = await withDatabase(async ({ prisma }) => {
    const { name: token } = await servedToken(prisma, text);
    const importer = createImport({ store: createImportStore(prisma), clock: systemClock });
    const badLines = printFirst(MAX_BAD_LINES, 'invalid lines');
    const keptRows = printFirst(MAX_KEPT_ROWS, 'rows kept');
    const onBad = (bad: BadLine) => badLines.line(badLine(bad));
    const onKept = (row: KeptRow) => keptRows.line(keptLine(row));
    let done: ImportCounts | undefined;
    const onBatch = (counts: ImportCounts) => {
      done = counts;
    };

    try {
      if (strict) {
        const bad = await importer.check(file, { signal, onBad });
        badLines.rest();
        if (bad > 0) {
          process.stdout.write(`${token}: nothing was imported, because the file has ${bad} invalid line(s)\n`);
          return EXIT.failed;
        }
      }
      const options = { replace, strict, signal, onBad, onKept, onBatch };
      const summary = await importer.run(token, file, options);
      badLines.rest();
      keptRows.rest();
      process.stdout.write(`${token}: ${totals(summary)}\n`);
      return conclude(summary);
    } catch (error) {
      if (done) process.stdout.write(`${token}: incomplete, ${totals(done)}\n`);
      throw error instanceof ImportFileError ? new ExitError(error.message, EXIT.failed, error) : error;
    }
  });
  return signal.aborted && exitCode !== EXIT.ok ? signal.reason : exitCode;
});

function conclude({ ended }: ImportSummary): number {
  if (ended === 'whole') return EXIT.ok;
  if (ended === 'interrupted') {
    process.stdout.write(`interrupted: added rows are kept; run the command again to import the remaining rows\n`);
    return EXIT.failed;
  }
  process.stdout.write(`stopped at the invalid line: later lines were not imported\n`);
  return EXIT.failed;
}

const INTERVALS: Readonly<Record<string, Interval>> = { minute: 'minute', hourly: 'hour', daily: 'day' };
const NAMES = Object.keys(INTERVALS);

export const importCandlesUsage = `  npm run archive -- import-candles <token> <file.csv> [--interval ${NAMES.join('|')}] [--holes]

    Imports candles from one of Kraken's bulk files (${CANDLE_COLUMNS.join(',')};
    no header, Unix seconds). The command imports the whole file or nothing. Settled candles do not change.

    --interval  the length of the candles: minute (five minutes), hourly or daily. The default is the shortest
                time between two lines.
    --holes     accept missing candles. Kraken's files omit candles without trades.
`;

const candlesForm = {
  options: { interval: { type: 'string' }, holes: { type: 'boolean', default: false } },
  positionals: ['token', 'file.csv'],
} as const;

export const runImportCandles = command(candlesForm, async ({ values, positionals: [text = '', path = ''] }) => {
  const named = values.interval === undefined ? undefined : INTERVALS[values.interval];
  if (values.interval !== undefined && !named) throw wrongUsage(`--interval must be one of ${NAMES.join(', ')}`);
  const file: CsvLines = await openCsvLines(path).catch((error) => {
    throw refused(error);
  });

  return withDatabase(async ({ prisma }) => {
    const { name: token } = await servedToken(prisma, text);
    const importer = createCandleImport({ store: createCandleStore(prisma), clock: systemClock });
    const badLines = printFirst(MAX_BAD_LINES, 'invalid lines');
    try {
      const interval = named ?? (await importer.intervalOf(file));
      if (typeof interval === 'object') {
        badLines.line(badLine(interval));
        process.stdout.write(`${token}: nothing was imported\n`);
        return EXIT.failed;
      }
      const options = { token, source: 'kraken', interval, allowHoles: values.holes } as const;
      const bad = await importer.check(file, options, (one) => badLines.line(badLine(one)));
      badLines.rest();
      if (bad > 0) {
        process.stdout.write(`${token}: nothing was imported, because the file has ${bad} invalid line(s)\n`);
        return EXIT.failed;
      }
      const { count, stored } = await importer.run(file, options);
      process.stdout.write(
        `${token}: ${count} candles read: ${stored} stored, ${count - stored} skipped (already settled)\n`,
      );
      return EXIT.ok;
    } catch (error) {
      throw refused(error);
    }
  });
});
