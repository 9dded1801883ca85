import { type Command, type Given, pastDate, wrongUsage } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { number, say, withProgress } from '#cli/output';
import { systemClock } from '#core/clock';
import { isMarketSource, MARKET_SOURCES } from '#prices/model/market-sources';
import { createPurge, type Purged } from '#prices/retention';
import { createPurgeStore } from '#prices/series/purge-store';
import { importPrices } from './archive-import.ts';
import { importCandles } from './archive-import-candles.ts';
import { status } from './archive-status.ts';

const amounts = ({ points, candles, latest, spans }: Omit<Purged, 'token'>) =>
  `${number(points)} points, ${number(candles)} candles, ${number(latest)} latest prices and ${number(spans)} coverage entries`;

async function runPurge({ values: { source = '', before } }: Given): Promise<void> {
  if (!isMarketSource(source)) throw wrongUsage(`--source must be one of ${MARKET_SOURCES.join(', ')}`);
  const until = before === undefined ? undefined : pastDate('--before', before, systemClock.now());

  await withDatabase(async ({ prisma }) => {
    const purge = createPurge({ store: createPurgeStore(prisma), clock: systemClock });
    const total = { points: 0, candles: 0, latest: 0, spans: 0 };
    const purgeAll = async () => {
      for await (const purged of purge({ source, before: until })) {
        for (const table of ['points', 'candles', 'latest', 'spans'] as const) total[table] += purged[table];
        const isAny = purged.points + purged.candles + purged.latest + purged.spans > 0;
        if (isAny) say(`${purged.token}: ${amounts(purged)} deleted`);
      }
    };
    await withProgress(() => `${source}: ${amounts(total)} deleted so far`, purgeAll);
    say(`${source}: ${amounts(total)} deleted in total`);
  });
}

const purge: Command = {
  name: 'archive purge',
  required: { [`source <${MARKET_SOURCES.join('|')}>`]: 'the source whose data is deleted' },
  options: { 'before <YYYY-MM-DD>': 'deletes only data before this date (UTC)' },
  help: `Deletes the data of a source for all tokens: points, candles, latest prices and coverage. Running processes remove
the data from memory within seconds. When clients request deleted data, the service fetches it again if the source still
provides it and MARKET_RETENTION allows it. If interrupted, run the command again.`,
  run: runPurge,
};

export const commands: readonly Command[] = [importPrices, importCandles, status, purge];

export const notes =
  'These commands use DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.';
