import { BUILT_IN_NAMES, type TokenName } from '#catalogue/token';
import { DAY, HOUR, startOfDate, systemClock } from '#core/clock';
import { openDatabase } from '#database/database';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { Sample } from '#prices/model/sample';

/** The days in the longest history, and the hours in one CoinGecko response. */
export const DAYS = 4700;
const HOURS = 90 * 24;

const figures = (at: number): Sample => ({
  at,
  price: 20_000 + 10_000 * Math.sin(at / 1e10),
  marketCap: 4e11 + 1e11 * Math.sin(at / 1e10),
  volume: 1e10 + 1e9 * Math.cos(at / 1e9),
});

/** Returns `count` samples at an interval (ms). The last sample is at the start of today. */
function samples(count: number, interval: number) {
  const today = startOfDate(systemClock.now());
  return Array.from({ length: count }, (_, i) => ({
    ...figures(today - (count - 1 - i) * interval),
    final: true,
  }));
}

/** Writes a full archive of the given tokens to the database at a URL, or to the embedded one in a data directory. */
export async function fillArchive(
  dataDir: string,
  tokens: readonly TokenName[] = BUILT_IN_NAMES,
  url?: string,
): Promise<void> {
  const database = await openDatabase({ dataDir, url });
  const store = createArchiveStore(database.prisma);
  const now = systemClock.now();
  const covers = (count: number, interval: number) => ({
    from: startOfDate(now) - (count - 1) * interval,
    thru: startOfDate(now) + DAY - 1,
  });
  for (const token of tokens) {
    const days = { interval: 'day' as const, rows: samples(DAYS, DAY), covers: covers(DAYS, DAY) };
    const hours = { interval: 'hour' as const, rows: samples(HOURS, HOUR), covers: covers(HOURS, HOUR) };
    await store.record('coingecko', `daily:${token}`, token, [days], now);
    await store.record('coingecko', `hours:${token}`, token, [hours], now);
  }
  await database.close();
}
