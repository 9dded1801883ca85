import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseList } from 'structured-headers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { SOURCES } from '#web/source-list';
import {
  DAY_CHART,
  DAYS,
  type FaultyUpstreamService,
  LATEST,
  startWithFaultyUpstream,
} from '../../support/service/chaos.ts';
import { storedRows } from '../../support/service/stored-rows.ts';
import { openImportArchive } from '../series/import-archive.ts';

const JANUARY = Date.parse('2019-01-01T00:00:00Z');
const RANGE = '/v1/prices/history/date/range?tokenName=bitcoin';

let service: FaultyUpstreamService;
beforeAll(async () => {
  service = await startWithFaultyUpstream();
});
afterAll(() => service.close());

/** Stores days of January 2019, both ends included, as if fetched from a source. */
async function report(source: MarketSourceName, first: number, last: number): Promise<void> {
  const rows = Array.from({ length: last - first + 1 }, (_, i) => ({
    at: JANUARY + (first + i - 1) * DAY,
    price: 100 + first + i,
    marketCap: source === 'kraken' ? null : 1e9,
    volume: 5,
    final: true,
  }));
  const covers = { from: JANUARY + (first - 1) * DAY, thru: JANUARY + last * DAY - 1 };
  const store = createArchiveStore(service.database.prisma);
  const update = { interval: 'day' as const, rows, covers };
  await store.record(source, 'daily:bitcoin', 'bitcoin', [update], service.clock.now());
  await service.parts.poll();
}

const january = (first: number, last: number) =>
  `${RANGE}&fromDate=2019-01-${String(first).padStart(2, '0')}&thruDate=2019-01-${String(last).padStart(2, '0')}`;

/** The items of a structured field that is a list. */
const tokensOf = (field: string | undefined) => parseList(field ?? '').map(([item]) => String(item));
const sourcesOf = async (path: string, headers: Record<string, string> = {}) =>
  tokensOf((await service.ask(path, headers)).header('quotient-source'));

test('every price names its source, in JSON and CSV, uncached and cached', async () => {
  const date = '/v1/prices/history/date?tokenName=bitcoin&date=14-05-2026';
  const range = `${RANGE}&fromDate=2026-05-01&thruDate=2026-05-15`;
  for (const path of [LATEST, DAYS, DAY_CHART, date, range]) {
    for (const headers of [{}, { accept: 'text/csv' }] as Record<string, string>[]) {
      if (path === LATEST && headers.accept) continue;
      for (let i = 0; i < 3; i++) expect(await sourcesOf(path, headers), path).toEqual(['coingecko']);
    }
  }
  const { header } = await service.ask(DAYS);
  const unchanged = await service.ask(DAYS, { 'if-none-match': header('etag') ?? '' });
  expect([unchanged.status, unchanged.header('quotient-source')]).toEqual([304, 'coingecko']);
});

test('a window from one fallback source names it, is never immutable, and has no source column', async () => {
  await report('kraken', 1, 5);
  const { status, header, body } = await service.ask(january(1, 5), { accept: 'text/csv' });
  expect([status, header('quotient-source')]).toEqual([200, 'kraken']);
  expect(header('quotient-gaps')).toBeUndefined();
  expect(header('cache-control')).not.toContain('immutable');
  expect(body.split('\r\n')[0]).toBe('date,price,market_cap,total_volume');
});

test('a window from several sources names them, the main one first, and its CSV has a source column', async () => {
  await report('kraken', 1, 5);
  await report('coingecko', 6, 8);
  expect(await sourcesOf(january(1, 8))).toEqual(['kraken', 'coingecko']);
  expect(await sourcesOf(january(4, 8))).toEqual(['coingecko', 'kraken']);
  const csv = await service.ask(january(4, 7), { accept: 'text/csv' });
  expect(csv.header('quotient-source')).toBe('coingecko, kraken');
  expect(csv.body.trimEnd().split('\r\n')).toEqual([
    'date,price,market_cap,total_volume,source',
    '2019-01-04,104,,5,kraken',
    '2019-01-05,105,,5,kraken',
    '2019-01-06,106,1000000000,5,coingecko',
    '2019-01-07,107,1000000000,5,coingecko',
  ]);
  expect((await service.ask(january(6, 8))).header('cache-control')).toContain('immutable');
});

test('later data of the primary replaces the fallback’s, immediately and permanently', async () => {
  await report('kraken', 20, 24);
  expect(await sourcesOf(january(20, 24))).toEqual(['kraken']);
  const before = await service.ask(january(20, 24));
  await report('coingecko', 20, 24);
  const after = await service.ask(january(20, 24), { 'if-none-match': before.header('etag') ?? '' });
  expect([after.status, after.header('quotient-source')]).toEqual([200, 'coingecko']);
  expect(after.header('cache-control')).toContain('immutable');
  await report('kraken', 19, 26);
  expect(await sourcesOf(january(20, 24))).toEqual(['coingecko']);
  expect(await sourcesOf(january(19, 26))).toEqual(['coingecko', 'kraken']);
});

test('an import accepts the service’s CSV, with and without the source column', async () => {
  await report('kraken', 1, 5);
  await report('coingecko', 6, 8);
  const archive = await openImportArchive();
  try {
    for (const [first, last] of [
      [1, 8],
      [6, 8],
    ] as const) {
      await archive.clear();
      const { body } = await service.ask(january(first, last), { accept: 'text/csv' });
      const path = join(archive.directory, 'given.csv');
      await writeFile(path, body);
      const read = last - first + 1;
      expect((await archive.takeFile(path, { token: 'bitcoin' })).counts).toMatchObject({
        read,
        added: read,
      });
      const stored = await storedRows(createArchiveStore(archive.database.prisma), 'bitcoin', 'day', {
        from: JANUARY,
        thru: JANUARY + 8 * DAY,
      });
      expect(stored.map(({ at, source }) => [(at - JANUARY) / DAY + 1, source])).toEqual(
        Array.from({ length: read }, (_, i) => [first + i, first + i < 6 ? 'kraken' : 'coingecko']),
      );
      expect((await archive.takeFile(path, { token: 'bitcoin' })).counts).toMatchObject({ skipped: read });
    }
  } finally {
    await archive.close();
  }
});

test('the fallback’s data is a gap for the primary, which is called for it when possible', async () => {
  const now = service.clock.now();
  const store = createArchiveStore(service.database.prisma);
  const hour = Math.floor(now / HOUR) * HOUR;
  const rows = Array.from({ length: 72 }, (_, i) => ({
    at: hour - (72 - i) * HOUR,
    price: 1 + i,
    marketCap: null,
    volume: null,
    final: true,
  }));
  const covers = { from: hour - 72 * HOUR, thru: now };
  await store.record('kraken', 'hours:solana', 'solana', [{ interval: 'hour', rows, covers }], now);
  await service.parts.poll();
  const path = '/v1/prices/history/days?tokenName=solana&days=3';

  service.sandbox.faults.always({ kind: 'html' });
  const without = await service.ask(path);
  expect([without.status, tokensOf(without.header('quotient-source'))[0]]).toEqual([200, 'kraken']);
  expect(without.header('quotient-gaps')).toBeUndefined();
  service.sandbox.faults.clear();
  await service.pass(HOUR);
  const healed = await service.ask(path);
  expect([healed.status, healed.header('quotient-source')]).toEqual([200, 'coingecko']);
});

test('the sources are listed without a key: name, data, terms and attribution', async () => {
  const response = await service.get('/v1/sources');
  expect([response.status, await response.json()]).toEqual([200, SOURCES]);
  expect(SOURCES.find(({ name }) => name === 'coingecko')).toEqual({
    name: 'coingecko',
    title: 'CoinGecko',
    url: 'https://www.coingecko.com',
    tells: ['latest', 'history'],
    terms: 'https://www.coingecko.com/en/terms',
    attribution: 'Powered by CoinGecko',
  });
  for (const { title, attribution } of SOURCES) if (attribution) expect(attribution).toContain(title);
});
