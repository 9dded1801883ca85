import { type Command, type Given, wrongUsage } from '#cli/arguments';
import { printFirst } from '#cli/command-line';
import { servedToken, withDatabase } from '#cli/configured-database';
import { systemClock } from '#core/clock';
import { createCandleImport } from '#prices/candles/candle-import';
import { createCandleStore } from '#prices/candles/candle-store';
import { CANDLE_COLUMNS, openCandleFile } from '#prices/imports/candle-file';
import type { Interval } from '#prices/model/interval';
import { EXIT } from '#process/exit';
import { badLine, MAX_BAD_LINES } from './archive-import.ts';
import { currencyOption, openUnits, refused, unitHelp } from './import-units.ts';

const INTERVALS: Readonly<Record<string, Interval>> = { minute: 'minute', hourly: 'hour', daily: 'day' };
const NAMES = Object.keys(INTERVALS);

async function run({ values, flags }: Given): Promise<number> {
  const { token: text = '', 'file.csv': path = '' } = values;
  const named = values.interval === undefined ? undefined : INTERVALS[values.interval];
  if (values.interval !== undefined && !named) throw wrongUsage(`--interval must be one of ${NAMES.join(', ')}`);
  const currency = currencyOption(values.currency);
  const file = await openCandleFile(path).catch((error) => {
    throw refused(error);
  });

  return withDatabase(async ({ prisma }) => {
    const served = await servedToken(prisma, text);
    const { name: token } = served;
    const importer = createCandleImport({ store: createCandleStore(prisma), clock: systemClock });
    const badLines = printFirst(MAX_BAD_LINES, 'invalid lines');
    try {
      const units = await openUnits(prisma, { token: served, file, currency, isForced: flags.has('force') });
      const interval = named ?? (await importer.intervalOf(file));
      if (typeof interval === 'object') {
        badLines.line(badLine(interval));
        process.stdout.write(`${token}: nothing was imported\n`);
        return EXIT.failed;
      }
      const { usdRate } = units;
      const options = { token, source: 'kraken', interval, allowHoles: flags.has('holes'), usdRate } as const;
      const { bad, daily } = await importer.check(file, options, (invalid) => badLines.line(badLine(invalid)));
      badLines.rest();
      if (bad > 0) {
        process.stdout.write(`${token}: nothing was imported, because the file has ${bad} invalid line(s)\n`);
        return EXIT.failed;
      }
      await units.assertPrices(daily);
      const { count, added, stored } = await importer.run(file, options);
      const without = added > 0 ? `, ${added} added without trades` : '';
      process.stdout.write(
        `${token}: ${count} candles read${without}: ${stored} stored, ${count + added - stored} skipped (already settled)\n`,
      );
      return EXIT.ok;
    } catch (error) {
      throw refused(error);
    }
  });
}

export const importCandles: Command = {
  name: 'import-candles',
  arguments: `<token> <file.csv> [--interval ${NAMES.join('|')}] [--holes]
                                 [--currency <currency>] [--force]`,
  help: `Imports candles from one of Kraken's bulk files (${CANDLE_COLUMNS.join(',')};
no header, Unix seconds), or CSV of candles from this service. The command imports the whole file or nothing.
Settled candles do not change.

--interval  the length of the candles: minute (five minutes), hourly or daily. The default is the shortest
            time between two lines.
--holes     accept missing candles. Kraken's files omit candles without trades.
${unitHelp}`,
  run,
};
