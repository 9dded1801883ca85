import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, startOfDate } from '#core/clock';
import { openLog } from '#open';
import { startSandbox } from '#sandbox/server';
import { readSettings } from '#settings';
import { openParts } from '../../fixtures/parts.ts';
import { atMost, type Figure, median } from '../measuring/table.ts';
import { fillArchive } from '../stand/archive.ts';

const ROUNDS = 15;
const YEAR = 365;

/** Compares a year of daily prices in euros and in dollars in this process, for a first and a repeated request. */
export async function measure(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  await fillArchive(dataDir);
  const sandbox = await startSandbox();
  const nowhere = 'http://127.0.0.1:9';
  const settings = readSettings({
    DATA_DIR: dataDir,
    COINGECKO_URL: nowhere,
    KRAKEN_URL: nowhere,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    UPSTREAM_TIMEOUT_MS: '60000',
  });
  const parts = await openParts(settings, { logger: openLog('silent') });
  const yesterday = startOfDate(Date.now()) - DAY;
  const request = async (round: number, currency: string) => {
    // Windows that differ by a day share no cached body, so each request is a first request.
    const thru = yesterday - round * DAY;
    const startedAt = performance.now();
    const { body } = await parts.market.range('bitcoin', 'day', thru - YEAR * DAY, thru, 'json', currency);
    const elapsed = performance.now() - startedAt;
    if (body.size() < 2 * 3 * YEAR * 50) throw new Error('the window is incomplete');
    return elapsed;
  };

  for (const currency of ['usd', 'eur']) await request(0, currency);
  const times = {
    usd: [] as number[],
    eur: [] as number[],
    again: { usd: [] as number[], eur: [] as number[] },
  };
  for (let round = 1; round <= ROUNDS; round++) {
    for (const currency of ['usd', 'eur'] as const) {
      times[currency].push(await request(round, currency));
      times.again[currency].push(await request(round, currency));
    }
  }
  await parts.close();
  await sandbox.close();
  await rm(dataDir, { recursive: true });
  const more = median(times.eur) - median(times.usd);
  return [
    atMost('a year of days in euros, first request, in addition to dollars', more, 5, 'ms'),
    atMost('the same year again, against dollars', median(times.again.eur) / median(times.again.usd), 1.2, '×'),
  ];
}
