import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openProcess, received } from '../../support/service/market.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';
import { dates, midnight, none, openImportArchive, row } from './import-archive.ts';

const NOW = '2024-06-01T12:00:00Z';
/** As in CoinGecko's export of bitcoin: two dates have only one sample, late in the evening. */
const EXPORT = [
  row('2017-06-05', 5),
  '2017-06-06 23:29:00 UTC,6,2,3',
  row('2017-06-07', 7),
  '2017-06-08 23:39:00 UTC,8,2,3',
  row('2017-06-09', 9),
];
const TIMES = [
  '2017-06-05T00:00:00',
  '2017-06-06T23:29:00',
  '2017-06-07T00:00:00',
  '2017-06-08T23:39:00',
  '2017-06-09T00:00:00',
].map((time) => Date.parse(`${time}Z`));

let archive: Awaited<ReturnType<typeof openImportArchive>>;
let upstream: UpstreamServer;
let running: Awaited<ReturnType<typeof openProcess>> | undefined;
let days: [time: string, price: number][] = [];

beforeAll(async () => {
  archive = await openImportArchive();
  upstream = await startUpstreamServer(({ query }) => {
    const column = query.interval === 'daily' ? days.map(([time, price]) => [Date.parse(time), price]) : [];
    return { body: JSON.stringify({ prices: column, market_caps: column, total_volumes: column }) };
  });
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  days = [];
  await archive.clear();
});
afterAll(async () => {
  await upstream?.close();
  await archive?.close();
});

/** The service with the archived rows, and a CoinGecko that returns the given daily rows. */
async function openMarket(plan: 'public' | 'pro', given: typeof days = []) {
  days = given;
  running = await openProcess(archive.database, createTestClock(NOW), {
    COINGECKO_URL: upstream.url,
    COINGECKO_PLAN: plan,
  });
  return running.market;
}
const take = (lines: readonly string[], flags: Parameters<typeof archive.take>[1] = {}) =>
  archive.take(lines, { token: 'bitcoin', ...flags });
const stored = async () => (await archive.samples('bitcoin')).map(({ at, price }) => [at, price]);

describe('a date whose only row is not at midnight', () => {
  it('has this row, at its own time, in every response', async () => {
    expect(await take(EXPORT, { strict: true })).toMatchObject({
      counts: { ...none, read: 5, added: 5 },
      bad: [],
    });
    expect(await archive.covered()).toEqual(['2017-06-05/2017-06-09']);

    const market = await openMarket('public');
    const requested = await market.date('bitcoin', midnight('2017-06-06'), 'json');
    expect(JSON.parse(String(requested.body.identity.payload))).toEqual([
      { current_price: 6, market_cap: 2, total_volume: 3 },
    ]);
    expect(requested).toMatchObject({ gaps: [], modifiedAt: TIMES[1] });
    const range = await market.range('bitcoin', 'day', midnight('2017-06-05'), midnight('2017-06-09'), 'json');
    expect(received(range).prices.map(({ date, price }) => [Date.parse(date), price])).toEqual(
      TIMES.map((at, i) => [at, i + 5]),
    );
    expect(range, 'another row may replace it').toMatchObject({ gaps: [], isImmutable: false });
    const all = await market.days('bitcoin', 5000, 'json');
    expect(received(all).prices.map(({ date }) => Date.parse(date))).toEqual(TIMES);
  });

  it('is requested from CoinGecko again until the date is over', async () => {
    await take([row('2024-05-31'), '2024-06-01 11:00:00 UTC,2,2,3']);
    expect(await archive.covered()).toEqual(['2024-05-31/2024-05-31']);
    await take(['2024-05-30 23:00:00 UTC,1,2,3'], { now: () => Date.parse('2024-05-31T00:39:59Z') });
    expect(await archive.covered()).toEqual(['2024-05-31/2024-05-31']);
    await take(['2024-05-30 23:00:00 UTC,1,2,3'], { now: () => Date.parse('2024-05-31T00:40:00Z') });
    expect(await archive.covered()).toEqual(['2024-05-30/2024-05-31']);
  });
});

describe('a row that is not at midnight is replaced', () => {
  const late = '2017-06-06 23:29:00 UTC,6,2,3';

  it('by a midnight row in a later file, and replaces no midnight row', async () => {
    await take([late]);
    expect((await take([row('2017-06-06', 1)])).counts).toEqual({ ...none, read: 1, changed: 1 });
    expect(await stored()).toEqual([[midnight('2017-06-06'), 1]]);
    for (const replace of [false, true]) {
      expect((await take([late], { replace })).counts).toEqual({ ...none, read: 1, kept: 1 });
      expect(await stored()).toEqual([[midnight('2017-06-06'), 1]]);
    }
  });

  it('within a file by a midnight row at any line, and otherwise by the earliest row', async () => {
    const later = '2017-06-06 23:40:00 UTC,7,2,3';
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([row('2017-06-06', 1), late, later]), async (lines) => {
        await archive.clear();
        const { counts, bad } = await take(lines, { strict: true });
        expect(bad).toEqual([]);
        const chosen = [row('2017-06-06', 1), late, later].find((line) => lines.includes(line));
        const prices = chosen === undefined ? [] : [Number(chosen.split(',')[1])];
        expect((await stored()).map(([, price]) => price)).toEqual(prices);
        expect(counts).toMatchObject({ read: lines.length, skipped: Math.max(0, lines.length - 1) });
      }),
      { numRuns: 20, examples: [[[later, late]], [[late, row('2017-06-06', 1), later]]] },
    );
  });

  it('by a midnight row from CoinGecko, and by CoinGecko’s own row of the same date', async () => {
    await take(EXPORT);
    const market = await openMarket('pro', [
      ['2017-06-05T00:00:00Z', 50],
      ['2017-06-06T00:00:00Z', 60],
      ['2017-06-07T00:00:00Z', 70],
      ['2017-06-08T23:38:00Z', 80],
      ['2017-06-09T00:00:00Z', 90],
      ['2024-06-01T00:00:00Z', 100],
    ]);
    await market.days('bitcoin', 30, 'json');
    await market.idle();
    expect((await stored()).map(([at, price]) => [new Date(Number(at)).toISOString().slice(5, 16), price])).toEqual([
      ['06-05T00:00', 5],
      ['06-06T00:00', 60],
      ['06-07T00:00', 7],
      ['06-08T23:38', 80],
      ['06-09T00:00', 9],
      ['06-01T00:00', 100],
    ]);
  });

  it('by no row if CoinGecko omits the date', async () => {
    await take(EXPORT);
    const before = await stored();
    const market = await openMarket('pro', [
      ['2013-04-28T00:00:00Z', 1],
      ['2024-06-01T00:00:00Z', 100],
    ]);
    await market.range('bitcoin', 'day', midnight('2013-04-28'), midnight('2024-06-01'), 'json');
    await market.idle();
    expect(await stored()).toEqual([[midnight('2013-04-28'), 1], ...before, [midnight('2024-06-01'), 100]]);
  });
});

it('a CSV response that is imported into an empty archive restores the archive', async () => {
  await take([...EXPORT, ...dates('2017-06-10', 30).map((date, i) => row(date, i / 7 + 1e-9))]);
  const before = { samples: await archive.samples('bitcoin'), covered: await archive.covered() };
  const market = await openMarket('public');
  const range = [midnight('2017-06-05'), midnight('2017-06-10') + 29 * DAY] as const;
  const response = await market.range('bitcoin', 'day', ...range, 'csv');
  await archive.clear();
  const [header, ...lines] = String(response.body.identity.payload).trimEnd().split('\r\n');
  const { counts } = await take(lines, { header, strict: true });
  expect(counts).toEqual({ ...none, read: 35, added: 35 });
  expect({ samples: await archive.samples('bitcoin'), covered: await archive.covered() }).toEqual(before);
});
