import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenName } from '#catalogue/token';
import { DAY, startOfDate } from '#core/clock';
import { openLog } from '#open';
import { readSettings } from '#settings';
import { openParts } from '../../fixtures/parts.ts';
import { atMost, type Figure, median } from '../measuring/table.ts';
import { DAYS, fillArchive } from '../stand/archive.ts';
import { fillCandles } from '../stand/candles.ts';

const ROUNDS = 5;

/** Measures windows of 4,700 daily points and candles in this process, for a first request and a repeated request. */
export async function measure(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  await fillArchive(dataDir);
  await fillCandles(dataDir, DAYS);
  const nowhere = 'http://127.0.0.1:9';
  const settings = readSettings({
    DATA_DIR: dataDir,
    COINGECKO_URL: nowhere,
    KRAKEN_URL: nowhere,
    EXCHANGE_RATES_URL: nowhere,
  });
  const parts = await openParts(settings, { logger: openLog('silent') });
  const yesterday = startOfDate(Date.now()) - DAY;
  const request = async (token: TokenName, round: number, source: 'market' | 'candles' = 'market') => {
    // Windows that differ by a day share no cached body, so each request is a first request.
    const from = yesterday - (DAYS - 2 - round) * DAY;
    const startedAt = performance.now();
    const range = [from, yesterday, 'json'] as const;
    const { body } = await (source === 'market'
      ? parts.market.range(token, 'day', ...range)
      : parts.candles.range(token, 'daily', ...range));
    const elapsed = performance.now() - startedAt;
    if (body.size() < 500_000) throw new Error('the window is incomplete');
    return elapsed;
  };

  await request('ethereum', 0);
  const first: number[] = [];
  const again: number[] = [];
  const candles: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    first.push(await request('bitcoin', round));
    again.push(await request('bitcoin', round));
    candles.push(await request('bitcoin', round, 'candles'));
  }
  await parts.close();
  await rm(dataDir, { recursive: true });
  return [
    atMost('first request for a window of 4,700 daily points', median(first), 10, 'ms'),
    atMost('the same window again', median(again), 1, 'ms'),
    atMost('first request for candles of 4,700 days', median(candles), 10, 'ms'),
  ];
}
