import { type Command, type Given, pastDate, wrongUsage } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { systemClock } from '#core/clock';
import { isMarketSource, MARKET_SOURCES } from '#prices/model/market-sources';
import { createPurge, type Purged } from '#prices/retention';
import { createPurgeStore } from '#prices/series/purge-store';
import { importPrices } from './archive-import.ts';
import { importCandles } from './archive-import-candles.ts';
import { status } from './archive-status.ts';

const amounts = ({ points, candles, latest, spans }: Omit<Purged, 'token'>) =>
  `${points} points, ${candles} candles, ${latest} latest prices and ${spans} coverage entries`;

async function runPurge({ values: { source = '', before } }: Given): Promise<void> {
  if (!isMarketSource(source)) throw wrongUsage(`--source must be one of ${MARKET_SOURCES.join(', ')}`);
  const until = before === undefined ? undefined : pastDate('--before', before, systemClock.now());

  await withDatabase(async ({ prisma }) => {
    const purge = createPurge({ store: createPurgeStore(prisma), clock: systemClock });
    const total = { points: 0, candles: 0, latest: 0, spans: 0 };
    for await (const purged of purge({ source, before: until })) {
      for (const table of ['points', 'candles', 'latest', 'spans'] as const) total[table] += purged[table];
      const isAny = purged.points + purged.candles + purged.latest + purged.spans > 0;
      if (isAny) process.stdout.write(`${purged.token}: ${amounts(purged)} deleted\n`);
    }
    process.stdout.write(`${source}: ${amounts(total)} deleted in total\n`);
  });
}

const purge: Command = {
  name: 'purge',
  arguments: '--source <name> [--before <YYYY-MM-DD>]',
  help: `Deletes the data of a source: points, candles, latest prices and coverage. With --before, deletes only data
before a date (UTC). Running processes remove the data from memory within seconds. When clients request
deleted data, the service fetches it again if the source still provides it and MARKET_RETENTION allows it.
If interrupted, run the command again. Sources: ${MARKET_SOURCES.join(', ')}.`,
  run: runPurge,
};

export const archive: CommandLine = {
  name: 'archive',
  summary: 'Manages the archive of prices and candles.',
  commands: [importPrices, importCandles, status, purge],
  notes: `Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.
`,
};
