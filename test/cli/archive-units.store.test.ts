import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, isoDate } from '#core/clock';
import { createRateStore } from '#prices/currencies/rate-store';
import { makeServedDirectory, runHere } from './run-command.ts';

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
const archive = (...args: string[]) => runHere('archive', args, { DATA_DIR: directory.dataDir });

beforeAll(async () => {
  directory = await makeServedDirectory();
});
beforeEach(async () => {
  await directory.database.prisma.$executeRaw`TRUNCATE point, candle, point_coverage, candle_coverage, exchange_rates`;
});
afterAll(() => directory.remove());

const FIRST = Date.UTC(2024, 0, 1);
const DATES = 15;

async function fileOf(name: string, lines: readonly string[]) {
  const path = join(directory.path, name);
  await writeFile(path, lines.join('\n'));
  return path;
}
const rows = (price: number, header = 'snapped_at,price,market_cap,total_volume', rest = '') => [
  header,
  ...Array.from({ length: DATES }, (_, i) => `${isoDate(FIRST + i * DAY)},${price + i},8e11,2e10${rest}`),
];
const candles = (price: number) =>
  Array.from({ length: 24 * DATES }, (_, i) => {
    const open = price + Math.floor(i / 24);
    return `${(FIRST + i * HOUR) / 1000},${open},${open + 2},${open - 2},${open + 1},1.5,3`;
  });
const days = () => directory.database.prisma.point.findMany({ orderBy: { at: 'asc' } });
const count = async () => (await days()).length + (await directory.database.prisma.candle.count());

const storeRates = (rate: number, dates = DATES) =>
  createRateStore(directory.database.prisma).record(
    'rates',
    Array.from({ length: dates }, (_, i) => ({ currency: 'usd', date: FIRST + i * DAY, rate })),
    FIRST,
    FIRST,
  );

/** The command fails in one line that names the file, and changes nothing. */
async function expectRefused(path: string, args: readonly string[], message: RegExp) {
  const before = await count();
  const [command = '', token = '', ...options] = args;
  const { code, stdout, stderr } = await archive(command, token, path, ...options);
  expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
  expect(stderr).toContain(path);
  expect(stderr).toMatch(message);
  expect(await count()).toBe(before);
}

describe('a file that names another currency or another token', () => {
  it.each([
    ['btc-eur-max.csv', 'bitcoin', /--currency eur/],
    ['BTC-EUR-max (1).csv', 'btc', /--currency eur/],
    ['btc-aed-max.csv', 'bitcoin', /--currency aed/],
    ['btc-try-max.csv', 'bitcoin', /--currency try/],
    ['bitcoin-2024-01-01-2024-01-15-jpy.csv', 'bitcoin', /--currency jpy/],
    ['prices in EUR.csv', 'bitcoin', /--currency eur/],
    ['eth-usd-max.csv', 'bitcoin', /names ethereum/],
    ['usd-coin-2024-01-01-2024-01-15.csv', 'bitcoin', /names usd-coin/],
    ['solana.csv', 'bitcoin', /names solana/],
  ])('%s is not imported for %s', async (name, token, message) => {
    await expectRefused(await fileOf(name, rows(40_000)), ['import', token], message);
  });

  it.each(['btc-usd-max.csv', 'bitcoin-2024-01-01-2024-01-15.csv', 'second-try.csv', 'max.csv', 'eth.txt.csv'])(
    '%s is imported into an empty archive',
    async (name) => {
      const { code, stderr } = await archive(
        'import',
        name.startsWith('eth') ? 'ethereum' : 'bitcoin',
        await fileOf(name, rows(40_000)),
      );
      expect([code, stderr === '' || /^\w+: neither [^\n]*\n$/.test(stderr)]).toEqual([0, true]);
      expect(stderr === '', 'the name says the token and the currency').toBe(name.startsWith('btc-usd'));
      expect(await count()).toBe(DATES);
    },
  );

  it.each([
    ['Date,Price (EUR),Market Cap,Total Volume', ''],
    ['date,price_eur,market_cap_eur,total_volume_eur', ''],
    ['date,price,market_cap,total_volume,currency', ',eur'],
  ])('the header %s names the currency', async (header, rest) => {
    await expectRefused(await fileOf('file.csv', rows(1, header, rest)), ['import', 'bitcoin'], /--currency eur/);
    await storeRates(1.1);
    expect((await archive('import', 'bitcoin', join(directory.path, 'file.csv'), '--currency', 'eur')).code).toBe(0);
  });

  it.each([
    ['XBTEUR_60.csv', 'bitcoin', /--currency eur/],
    ['XXBTZEUR.csv', 'bitcoin', /--currency eur/],
    ['ETHUSD_60.csv', 'bitcoin', /names ethereum/],
    ['XBTUSD_60.csv', 'ethereum', /names bitcoin/],
  ])('candles from %s are not imported for %s', async (name, token, message) => {
    await expectRefused(await fileOf(name, candles(40_000)), ['import-candles', token], message);
  });

  it('candles from XBTUSD_60.csv are imported', async () => {
    const path = await fileOf('XBTUSD_60.csv', candles(40_000));
    expect(await archive('import-candles', 'bitcoin', path)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a file whose prices differ from the stored prices by a constant factor', () => {
  it('is rejected, unless it is forced', async () => {
    await archive('import', 'bitcoin', await fileOf('btc-usd-max.csv', rows(40_000)));
    const other = await fileOf('btc-max.csv', rows(36_000));
    for (const options of [[], ['--replace'], ['--strict'], ['--currency', 'usd']])
      await expectRefused(other, ['import', 'bitcoin', ...options], /0\.9 times .*15 dates.*--currency.*--force/);
    const hours = await fileOf('candles.csv', candles(36_000));
    await expectRefused(hours, ['import-candles', 'bitcoin'], /0\.9 times/);
    expect((await archive('import', 'bitcoin', other, '--replace', '--force')).stdout).toContain('15 changed');
  });

  it('is compared with candles, too', async () => {
    await archive('import-candles', 'bitcoin', await fileOf('XBTUSD_60.csv', candles(40_000)));
    await expectRefused(await fileOf('a.csv', rows(2_000)), ['import', 'bitcoin'], /0\.05 times/);
    await expectRefused(await fileOf('a.csv', candles(2_000)), ['import-candles', 'bitcoin'], /0\.05 times/);
    expect(await archive('import', 'bitcoin', await fileOf('b.csv', rows(40_100)))).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('--currency', () => {
  it('converts each figure at the rate of its date', async () => {
    await storeRates(1.25);
    const path = await fileOf('btc-eur-max.csv', rows(32_000));
    expect((await archive('import', 'bitcoin', path, '--currency', 'EUR')).code).toBe(0);
    expect((await days()).map(({ price, marketCap, volume }) => [price, marketCap, volume])).toEqual(
      Array.from({ length: DATES }, (_, i) => [(32_000 + i) * 1.25, 1e12, 2.5e10]),
    );
    const hours = await fileOf('XBTEUR_60.csv', candles(32_000));
    expect((await archive('import-candles', 'bitcoin', hours, '--currency', 'eur')).code).toBe(0);
    const [candle] = await directory.database.prisma.candle.findMany({ orderBy: { at: 'asc' }, take: 1 });
    expect(candle).toMatchObject({ open: 40_000, high: 40_002.5, low: 39_997.5, close: 40_001.25, volume: 1.5 });
  });

  it('is rejected if a rate is not stored, or for a currency without rates', async () => {
    const path = await fileOf('btc-eur-max.csv', rows(32_000));
    await expectRefused(path, ['import', 'bitcoin', '--currency', 'eur'], /no rate of eur .*2024-01-01 and 14 more/);
    await storeRates(1.25);
    await expectRefused(path, ['import', 'bitcoin', '--currency', 'gbp'], /no rate of gbp/);
    const unknown = await archive('import', 'bitcoin', path, '--currency', 'euros');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/^--currency must .*eur[^\n]*\n$/)]);
  });

  it('overrides the name of a file, but not a column', async () => {
    const path = await fileOf('btc-eur-max.csv', rows(32_000));
    expect((await archive('import', 'bitcoin', path, '--currency', 'usd')).code).toBe(0);
    const column = await fileOf('column.csv', rows(32_000, 'date,price,market_cap,total_volume,currency', ',eur'));
    await expectRefused(column, ['import', 'bitcoin', '--currency', 'usd'], /names the currency eur/);
  });
});

it('a path with spaces and other letters is read', async () => {
  const path = join(directory.path, `Preise für ${basename(directory.path)}.csv`);
  await copyFile(new URL('../samples/export.csv', import.meta.url), path);
  expect((await archive('import', 'ethereum', path)).code).toBe(0);
});
