import { command, pastDate, wrongUsage } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { systemClock } from '#core/clock';
import { createPurgeStore } from '#prices/archive/purge-store';
import { isMarketSource, MARKET_SOURCES } from '#prices/model/market-sources';
import { createPurge, type Purged } from '#prices/retention';
import { importCandlesUsage, importUsage, runImport, runImportCandles } from './archive-import.ts';
import { runStatus, statusUsage } from './archive-status.ts';

const purgeUsage = `  npm run archive -- purge --source <name> [--before <YYYY-MM-DD>]

    Deletes the data of a source: points, candles, latest prices and coverage. With --before, deletes only data
    before a date (UTC). Running processes remove the data from memory within seconds. When clients request
    deleted data, the service fetches it again if the source still provides it and MARKET_RETENTION allows it.
    If interrupted, run the command again. Sources: ${MARKET_SOURCES.join(', ')}.
`;

const options = { source: { type: 'string' }, before: { type: 'string' } } as const;

const amounts = ({ points, candles, latest, spans }: Omit<Purged, 'token'>) =>
  `${points} points, ${candles} candles, ${latest} latest prices and ${spans} coverage entries`;

const runPurge = command({ options }, async ({ values: { source = '', before } }) => {
  if (!isMarketSource(source)) throw wrongUsage(`--source must be one of ${MARKET_SOURCES.join(', ')}`);
  const until = before === undefined ? undefined : pastDate('--before', before, systemClock.now());

  await withDatabase(async ({ prisma }) => {
    const purge = createPurge({ store: createPurgeStore(prisma), clock: systemClock });
    const total = { points: 0, candles: 0, latest: 0, spans: 0 };
    for await (const purged of purge({ source, before: until })) {
      for (const what of ['points', 'candles', 'latest', 'spans'] as const) total[what] += purged[what];
      const isAny = purged.points + purged.candles + purged.latest + purged.spans > 0;
      if (isAny) process.stdout.write(`${purged.token}: ${amounts(purged)} deleted\n`);
    }
    process.stdout.write(`${source}: ${amounts(total)} deleted in total\n`);
  });
});

const USAGE = `Manages the archive of prices and candles.

${importUsage}
${importCandlesUsage}
${statusUsage}
${purgeUsage}
Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.
`;

export const archive: CommandLine = {
  name: 'archive',
  usage: USAGE,
  commands: { import: runImport, 'import-candles': runImportCandles, status: runStatus, purge: runPurge },
};
