import { command, wrongUsage } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { printFirst } from '#cli/print-first';
import { servedToken } from '#cli/served-token';
import { systemClock } from '#core/clock';
import type { BadLine } from '#prices/archive/import/csv-file';
import { type CsvLines, ImportFileError, openCsvLines } from '#prices/archive/import/csv-file';
import { CANDLE_COLUMNS } from '#prices/candles/candle-file';
import { createCandleImport } from '#prices/candles/candle-import';
import { createCandleStore } from '#prices/candles/candle-store';
import type { Interval } from '#prices/model/interval';
import { EXIT, ExitError } from '#process/exit';

const MAX_BAD_LINES = 100;
const INTERVALS: Readonly<Record<string, Interval>> = { minute: 'minute', hourly: 'hour', daily: 'day' };
const NAMES = Object.keys(INTERVALS);

export const importCandlesUsage = `  npm run archive -- import-candles <token> <file.csv> [--interval ${NAMES.join('|')}] [--holes]

    Imports a bulk file of Kraken (${CANDLE_COLUMNS.join(',')}; no header, Unix seconds)
    into the candles, all of it or nothing. Settled candles are kept as they are.

    --interval  the length of its candles: minute (five minutes), hourly or daily; without it, by the
                smallest distance between two lines
    --holes     the file may lack candles: Kraken's files leave out those without a trade
`;

const form = {
  options: { interval: { type: 'string' }, holes: { type: 'boolean', default: false } },
  positionals: ['token', 'file.csv'],
} as const;

const refused = (error: unknown) =>
  error instanceof ImportFileError ? new ExitError(error.message, EXIT.refused, error) : error;

const badLine = ({ line, fault }: BadLine) => `line ${line}: ${fault}`;

/** `archive import-candles <token> <file.csv>` */
export const runImportCandles = command(form, async ({ values, positionals: [text = '', path = ''] }) => {
  const named = values.interval === undefined ? undefined : INTERVALS[values.interval];
  if (values.interval !== undefined && !named)
    throw wrongUsage(`--interval must be one of ${NAMES.join(', ')}`);
  const file: CsvLines = await openCsvLines(path).catch((error) => {
    throw refused(error);
  });

  return withDatabase(async ({ prisma }) => {
    const { name: token } = await servedToken(prisma, text);
    const importer = createCandleImport({ store: createCandleStore(prisma), clock: systemClock });
    const badLines = printFirst(MAX_BAD_LINES, 'bad lines');
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
        process.stdout.write(`${token}: nothing was imported, the file has ${bad} bad line(s)\n`);
        return EXIT.failed;
      }
      const { count, stored } = await importer.run(file, options);
      process.stdout.write(
        `${token}: ${count} candles read: ${stored} stored, ${count - stored} kept (settled)\n`,
      );
      return EXIT.ok;
    } catch (error) {
      throw refused(error);
    }
  });
});
