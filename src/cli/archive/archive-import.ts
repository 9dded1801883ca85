import type { Command, Given } from '#cli/arguments';
import { servedToken, withDatabase } from '#cli/configured-database';
import { number, printFirst, say, withProgress } from '#cli/output';
import { isoDate, systemClock } from '#core/clock';
import { type BadLine, ImportFileError } from '#prices/imports/csv-file';
import { createImport, type ImportCounts, type ImportSummary, type KeptRow } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createPointStore } from '#prices/series/point-store';
import { EXIT, ExitError, interruption } from '#process/exit';
import { currencyOption, openUnits, refused, UNIT_OPTIONS } from './import-units.ts';

export const MAX_BAD_LINES = 100;
const MAX_KEPT_ROWS = 20;

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
  `${number(read)} rows read: ${number(added)} added, ${number(changed)} changed, ${number(skipped)} skipped (no new ` +
  `data), ${number(kept)} kept (settled, but different), ${number(bad)} invalid`;

export const badLine = ({ line, fault }: BadLine) => `line ${number(line)}: ${fault}`;

async function run({ values, flags }: Given): Promise<number> {
  const { token: text = '', 'file.csv': path = '' } = values;
  const strict = flags.has('strict');
  const isForced = flags.has('force');
  const currency = currencyOption(values.currency);
  const file = await openImportFile(path).catch((error) => {
    throw refused(error);
  });
  const signal = interruption();
  const exitCode = await withDatabase(async ({ prisma }) => {
    const served = await servedToken(prisma, text);
    const { name: token } = served;
    const importer = createImport({ store: createPointStore(prisma), clock: systemClock });
    const badLines = printFirst(MAX_BAD_LINES, 'invalid lines');
    const keptRows = printFirst(MAX_KEPT_ROWS, 'rows kept');
    const onBad = (bad: BadLine) => badLines.line(badLine(bad));
    const onKept = (row: KeptRow) => keptRows.line(keptLine(row));
    let done: ImportCounts | undefined;
    const onBatch = (counts: ImportCounts) => {
      done = counts;
    };

    try {
      const units = await openUnits(prisma, { token: served, file, currency, isForced }).catch((error) => {
        throw refused(error);
      });
      const { bad, daily } = await withProgress(
        () => `${token}: checking the file`,
        () => importer.check(file, { signal, onBad: strict ? onBad : () => undefined }),
      );
      if (strict && bad > 0) {
        badLines.rest();
        say(`${token}: nothing was imported, because the file has ${number(bad)} invalid line(s)`);
        return EXIT.failed;
      }
      await units.assertPrices(daily).catch((error) => {
        throw refused(error);
      });
      const { usdRate } = units;
      const options = { replace: flags.has('replace'), strict, usdRate, signal, onBad, onKept, onBatch };
      const summary = await withProgress(
        () => `${token}: ${number(done?.read ?? 0)} rows read`,
        () => importer.run(token, file, options),
      );
      badLines.rest();
      keptRows.rest();
      say(`${token}: ${totals(summary)}`);
      return conclude(summary);
    } catch (error) {
      if (done) say(`${token}: incomplete, ${totals(done)}`);
      throw error instanceof ImportFileError ? new ExitError(error.message, EXIT.failed, error) : error;
    }
  });
  return signal.aborted && exitCode !== EXIT.ok ? signal.reason : exitCode;
}

function conclude({ ended }: ImportSummary): number {
  if (ended === 'whole') return EXIT.ok;
  if (ended === 'interrupted') {
    say('interrupted: added rows are kept; run the command again to import the remaining rows');
    return EXIT.failed;
  }
  say('stopped at the invalid line: later lines were not imported');
  return EXIT.failed;
}

export const importPrices: Command = {
  name: 'archive import',
  arguments: { token: 'the name or symbol of the token (see `quotient tokens list`)', 'file.csv': 'the file' },
  options: {
    strict: 'if a line is invalid, imports nothing and exits with code 1',
    replace: `overwrites settled rows that differ from the file. Without this option, these rows are kept and listed. Rows
from a preferred source are always kept.`,
    ...UNIT_OPTIONS,
  },
  help: `Imports a CSV file into the daily history: CoinGecko's export for a coin (snapped_at,price,market_cap,total_volume),
or CSV from this service (date instead of snapped_at), also with semicolons or in UTF-16. Times are in UTC unless they
have an offset. Rows without a source column count as CoinGecko's. Each date has one row: the row between 00:00 and
01:00 UTC or, without such a row, another row of that date. The command can be run again, because it skips existing
rows.`,
  run,
};
