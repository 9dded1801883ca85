import { DAY, startOfDate, systemClock } from '#core/clock';
import { openDatabase } from '#database/database';
import { createCandleStore } from '#prices/candles/candle-store';

/** Rounds to the number of decimals that Kraken reports: one for prices, eight for volumes. */
const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));
const priceAt = (at: number) => rounded(20_000 + 10_000 * Math.sin(at / 1e10), 1);

/** Writes `count` daily candles, up to yesterday's, to the database in a data directory. */
export async function fillCandles(dataDir: string, count: number): Promise<void> {
  const database = await openDatabase({ dataDir });
  const today = startOfDate(systemClock.now());
  const candles = Array.from({ length: count }, (_, i) => {
    const at = today - (count - i) * DAY;
    const [open, close] = [priceAt(at), priceAt(at + DAY)];
    const [low, high] = [rounded(Math.min(open, close) * 0.99, 1), rounded(Math.max(open, close) * 1.01, 1)];
    return { at, open, high, low, close, volume: rounded(1000 + 100 * Math.cos(at / 1e9), 8), final: true };
  });
  const covers = { from: today - count * DAY, thru: today - 1 };
  const update = { interval: 'day', rows: candles, covers } as const;
  const store = createCandleStore(database.prisma);
  await store.record('kraken', 'candles:bitcoin:day', 'bitcoin', [update], systemClock.now());
  await database.close();
}
