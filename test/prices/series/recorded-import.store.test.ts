import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '#app';
import { systemClock } from '#core/clock';
import { openLog } from '#open';
import { createImport } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createPointStore } from '#prices/series/point-store';
import { readSettings } from '#settings';
import { openParts } from '../../../fixtures/parts.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const recordings = process.env.RECORDINGS_DIR ?? new URL('../../../../shared/recordings', import.meta.url).pathname;
const FILES = {
  ethereum: join(recordings, 'series/coingecko_ethereum_2015_2024-12.csv'),
  'usd-coin': join(recordings, 'series/coingecko_usd-coin_2018_2022-09.csv'),
} as const;
const isRecorded = Object.values(FILES).every(existsSync);
if (!isRecorded) console.log(`No recordings in ${recordings}: the import of real exports is skipped.`);

type Row = { date: string; figures: (number | null)[] };
type Series = Record<'prices' | 'market_cap' | 'total_volume', { date: string; price: number }[]>;

/** The rows of the file, read by the simplest code. */
async function rowsOf(token: keyof typeof FILES): Promise<Row[]> {
  const lines = (await readFile(FILES[token], 'utf8')).trim().split('\n').slice(1);
  return lines.map((line) => {
    const [time = '', ...figures] = line.trim().split(',');
    const date = new Date(time.replace(' UTC', 'Z').replace(' ', 'T')).toUTCString();
    return { date, figures: figures.map((text) => (text === '' ? null : Number(text))) };
  });
}

const pointsOf = (rows: readonly Row[], figure: number) =>
  rows.flatMap(({ date, figures }) => {
    const price = figures[figure] ?? null;
    return price === null ? [] : [{ date, price }];
  });

describe.runIf(isRecorded)('real exports, imported and served while CoinGecko is unreachable', () => {
  let database: TestDatabase;
  let parts: Awaited<ReturnType<typeof openParts>>;
  let app: Awaited<ReturnType<typeof buildApp>>;
  let apiKey: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    const importer = createImport({ store: createPointStore(database.prisma), clock: systemClock });
    for (const token of ['ethereum', 'usd-coin'] as const) {
      const summary = await importer.run(token, await openImportFile(FILES[token]), {
        replace: false,
        strict: true,
        signal: new AbortController().signal,
        onBad: () => undefined,
        onKept: () => undefined,
        onBatch: () => undefined,
      });
      const rows = await rowsOf(token);
      expect(summary).toMatchObject({ ended: 'whole', read: rows.length, added: rows.length });
    }
    const settings = readSettings({ COINGECKO_URL: 'http://127.0.0.1:9' });
    const logger = openLog('silent');
    parts = await openParts(settings, { database, logger });
    app = await buildApp(parts);
    const user = await app.inject({
      method: 'POST',
      url: '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly',
    });
    apiKey = user.json().apiKey;
  });

  afterAll(async () => {
    await app?.close();
    await parts?.close();
    await database?.close();
  });

  const get = (url: string) => app.inject({ url: `/v1/prices/history/${url}`, headers: { 'x-api-key': apiKey } });

  it('a date has its three values to the last digit', async () => {
    const response = await get('date?tokenName=ethereum&date=01-01-2024');
    const row = (await rowsOf('ethereum')).find(({ date }) => date === 'Mon, 01 Jan 2024 00:00:00 GMT');
    const [current_price, market_cap, total_volume] = row?.figures ?? [];
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual([{ current_price, market_cap, total_volume }]);
    expect(current_price).toBeTypeOf('number');
  });

  it.each([
    ['ethereum', '2015-08-07', '2024-12-20', '2015-08-09/2015-08-09'],
    ['usd-coin', '2018-10-05', '2022-09-14', undefined],
  ] as const)('every row of %s is served in order', async (token, fromDate, thruDate, gaps) => {
    const response = await get(`date/range?tokenName=${token}&fromDate=${fromDate}&thruDate=${thruDate}`);
    expect(response.statusCode).toBe(200);
    expect(response.headers['quotient-gaps']).toBe(gaps);
    const rows = await rowsOf(token);
    const series = response.json<Series>();
    expect(series.prices).toEqual(pointsOf(rows, 0));
    expect(series.market_cap).toEqual(pointsOf(rows, 1));
    expect(series.total_volume).toEqual(pointsOf(rows, 2));
  });

  it('irregularities of the file are preserved', async () => {
    const response = await get('date/range?tokenName=ethereum&fromDate=2015-08-07&thruDate=2024-12-20');
    const { prices, market_cap, total_volume } = response.json<Series>();
    const counts = [prices, market_cap, total_volume].map((points) => points.length);
    expect(counts).toEqual([3423, 3422, 3423]);
    const has = (points: Series['prices'], date: string) => points.some((point) => point.date === date);
    const missing = 'Sun, 09 Aug 2015 00:00:00 GMT';
    expect([prices, market_cap, total_volume].map((points) => has(points, missing))).toEqual([false, false, false]);
    const noCap = 'Sun, 02 Apr 2017 00:00:00 GMT';
    expect([prices, market_cap, total_volume].map((points) => has(points, noCap))).toEqual([true, false, true]);
    expect(prices.map(({ date }) => date).filter((date) => !date.endsWith('00:00:00 GMT'))).toEqual([
      'Tue, 30 Jan 2018 00:05:11 GMT',
      'Thu, 08 Feb 2018 00:05:23 GMT',
    ]);
  });
});
