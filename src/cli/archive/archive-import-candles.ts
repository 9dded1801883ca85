import { type Command, type Given, wrongUsage } from '#cli/arguments';
import { servedToken, withDatabase } from '#cli/configured-database';
import { number, printFirst, say, withProgress } from '#cli/output';
import { systemClock } from '#core/clock';
import { createCandleImport } from '#prices/candles/candle-import';
import { createCandleStore } from '#prices/candles/candle-store';
import { CANDLE_COLUMNS, intervalOf, openCandleFile } from '#prices/imports/candle-file';
import type { Interval } from '#prices/model/interval';
import { EXIT } from '#process/exit';
import { NODE_FLAGS } from '#process/node-flags';
import { badLine, MAX_BAD_LINES } from './archive-import.ts';
import { currencyOption, openUnits, refused, UNIT_OPTIONS } from './import-units.ts';

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
      const interval = named ?? (await intervalOf(file));
      if (typeof interval === 'object') {
        badLines.line(badLine(interval));
        say(`${token}: nothing was imported`);
        return EXIT.failed;
      }
      const { usdRate } = units;
      const options = { token, source: 'kraken', interval, allowHoles: flags.has('holes'), usdRate } as const;
      const { bad, daily } = await withProgress(
        () => `${token}: checking the file`,
        () => importer.check(file, options, (invalid) => badLines.line(badLine(invalid))),
      );
      badLines.rest();
      if (bad > 0) {
        say(`${token}: nothing was imported, because the file has ${number(bad)} invalid line(s)`);
        return EXIT.failed;
      }
      await units.assertPrices(daily);
      const { count, added, stored } = await withProgress(
        () => `${token}: storing the candles`,
        () => importer.run(file, options),
      );
      const without = added > 0 ? `, ${number(added)} added without trades` : '';
      const skipped = `${number(count + added - stored)} skipped (already settled)`;
      say(`${token}: ${number(count)} candles read${without}: ${number(stored)} stored, ${skipped}`);
      return EXIT.ok;
    } catch (error) {
      throw refused(error);
    }
  });
}

/** V8 lets the heap grow before it collects garbage, which is larger here than the data. */
const SMALL_HEAP = [...NODE_FLAGS, '--max-old-space-size=128'];

export const importCandles: Command = {
  name: 'archive import-candles',
  arguments: { token: 'the name or symbol of the token (see `quotient tokens list`)', 'file.csv': 'the file' },
  options: {
    [`interval <${NAMES.join('|')}>`]:
      'the length of the candles (minute: five minutes). The default is the shortest time between two lines.',
    holes: "accepts missing candles. Kraken's files omit candles without trades.",
    ...UNIT_OPTIONS,
  },
  help: `Imports candles from one of Kraken's bulk files (${CANDLE_COLUMNS.join(',')}; no header, Unix seconds), or CSV of
candles from this service. The command imports the whole file or nothing. Settled candles do not change.`,
  nodeFlags: SMALL_HEAP,
  run,
};
