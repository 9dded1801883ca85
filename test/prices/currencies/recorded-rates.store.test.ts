import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImport } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createPointStore } from '#prices/series/point-store';
import { createTestClock } from '../../../fixtures/clock.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { readRecordedRates, startRecordedRates } from '../../support/upstream/recorded-rates.ts';
import { DIRECTORY, haveRecordings } from '../../support/upstream/recordings.ts';
import type { UpstreamServer } from '../../support/upstream/upstream-server.ts';

const ETHEREUM = join(DIRECTORY, 'series/coingecko_ethereum_2015_2024-12.csv');
type Points = { date: string; price: number }[];
type Series = Record<'prices' | 'market_cap' | 'total_volume', Points>;

describe.runIf(haveRecordings)('recorded prices in recorded rates', () => {
  const clock = createTestClock('2026-05-15T14:10:06Z');
  let bank: UpstreamServer;
  let service: Service;
  let key: string;
  beforeAll(async () => {
    bank = await startRecordedRates();
    service = await startService({
      clock,
      settings: {
        COINGECKO_URL: 'http://127.0.0.1:9',
        KRAKEN_URL: 'http://127.0.0.1:9',
        EXCHANGE_RATES_URL: bank.url,
        UPSTREAM_TIMEOUT_MS: '60000',
        LOG_LEVEL: 'silent',
      },
    });
    const importer = createImport({ store: createPointStore(service.database.prisma), clock });
    await importer.run('ethereum', await openImportFile(ETHEREUM), {
      ...{ replace: false, strict: true, signal: new AbortController().signal },
      ...{ onBad: () => undefined, onKept: () => undefined, onBatch: () => undefined },
    });
    await service.parts.poll();
    key = await service.register('yearly');
  });
  afterAll(async () => {
    await service?.close();
    await bank?.close();
  });

  /** The file's values in US dollars, by date: price, market cap, volume; read by the simplest code. */
  const exported = new Map(
    (haveRecordings ? readFileSync(ETHEREUM, 'utf8') : '')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [time = '', ...figures] = line.trim().split(',');
        return [time.slice(0, 10), figures] as const;
      }),
  );
  const published = haveRecordings ? readRecordedRates() : [];

  /** The value of one US dollar in a currency on a date, from the last line of the ECB's file up to that date. */
  function perDollar(currency: string, date: string): number {
    const rates = published.filter((line) => line.date <= date).at(-1)?.rates ?? {};
    return (currency === 'eur' ? 1 : (rates[currency] as number)) / (rates.usd as number);
  }

  const get = async (currency: string, from: string, thru: string) => {
    const query = `tokenName=ethereum&fromDate=${from}&thruDate=${thru}&currency=${currency}`;
    const response = await service.get(`/v1/prices/history/date/range?${query}`, { key });
    return { response, series: (await response.json()) as Series };
  };

  test.each([
    ['eur', 'Christmas and New Year', '2022-12-20', '2023-01-04', 16],
    ['eur', 'Easter', '2023-04-05', '2023-04-12', 8],
    // A null market cap.
    ['gbp', 'the first of April', '2017-04-01', '2017-04-03', 3],
    ['chf', 'the whole file', '2015-08-07', '2023-12-31', 3068],
  ])(
    'in %s for %s, each value is that of the file at the rate of its date',
    async (currency, _when, from, thru, days) => {
      const { response, series } = await get(currency, from, thru);
      expect(response.status).toBe(200);
      expect(response.headers.get('quotient-currency')).toBe(`${currency};source=ecb`);
      expect(series.prices).toHaveLength(days);
      for (const [place, points] of [series.prices, series.market_cap, series.total_volume].entries()) {
        const expected = [...exported].flatMap(([date, figures]) => {
          const text = figures[place] ?? '';
          return date < from || date > thru || text === ''
            ? []
            : [[date, Number(text) * perDollar(currency, date)] as const];
        });
        expect(points.map(({ date }) => new Date(date).toISOString().slice(0, 10))).toEqual(
          expected.map(([date]) => date),
        );
        for (const [i, [date, figure]] of expected.entries()) {
          const received = points[i]?.price as number;
          expect(Math.abs(received - figure), `${date} ${received} ${figure}`).toBeLessThanOrEqual(1e-12 * figure);
        }
      }
    },
  );

  test('all conversions above required one call for each start date', () => {
    const requested = bank.calls.map(({ query }) => query.startPeriod);
    expect(requested.filter((from) => from?.endsWith('-01-01'))).toEqual(['2022-01-01', '2017-01-01', '2015-01-01']);
  });

  test('a discontinued currency keeps its history', async () => {
    const { response, series } = await get('hrk', '2022-12-28', '2023-01-04');
    expect(series.prices.map(({ date }) => date.slice(5, 11))).toEqual(['28 Dec', '29 Dec', '30 Dec']);
    expect(response.headers.get('quotient-gaps')).toBe('2022-12-31/2023-01-04');
    expect(response.headers.get('cache-control')).not.toContain('immutable');
    const after = await get('hrk', '2023-01-01', '2023-01-04');
    expect(after.response.status).toBe(400);
    expect(after.series).toMatchObject({
      code: 'invalid_request',
      errors: [{ location: 'query.currency', fix: expect.stringContaining('2022-12-30') }],
    });
  });

  test('a currency that was not quoted for years has no points in these years', async () => {
    const { response, series } = await get('isk', '2018-01-30', '2018-02-02');
    expect(series.prices.map(({ date }) => date.slice(5, 11))).toEqual(['01 Feb', '02 Feb']);
    expect(response.headers.get('quotient-gaps')).toBe('2018-01-30/2018-01-31');
    const before = await get('isk', '2017-06-01', '2017-06-03');
    expect(before.response.status).toBe(404);
    expect(before.series).toMatchObject({ code: 'no_data', gaps: ['2017-06-01/2017-06-03'] });
  });
});
